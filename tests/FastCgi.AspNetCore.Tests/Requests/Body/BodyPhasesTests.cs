namespace FastCgi.AspNetCore.Tests.Requests.Body;

/// <summary>Every phase with every event, as tables; a dash cannot be.</summary>
public class BodyPhasesTests
{
    private const string BodyTable = """
                  Awaited   Empty     Arriving  Whole     Failed    Dropped
        OpenEmpty Empty     Empty     -         -         -         -
        Open      Arriving  Empty     Arriving  -         -         -
        Bytes     Arriving  -         Arriving  -         -         -
        LastBytes -         -         Whole     -         -         -
        End       Empty     Empty     Whole     Whole     Failed    Dropped
        ShortEnd  -         -         Failed    -         Failed    Dropped
        Fail      Failed    -         Failed    Whole     Failed    Dropped
        Refuse    -         Failed    Failed    Failed    -         -
        Drop      Dropped   Empty     Dropped   Dropped   Dropped   Dropped
        Upgrade   -         Arriving  -         -         -         -
        """;

    private const string ReadTable = """
                  Idle      Waiting   Ready     Lent      Offered   Completed Over
        Wait      Waiting   -         -         -         Waiting   -         -
        Wake      -         Ready     -         -         -         -         -
        Resume    -         -         Idle      -         -         Completed Over
        Lend      Lent      -         -         -         Lent      -         -
        Offer     Offered   -         -         -         Offered   -         -
        Advance   -         -         -         Idle      Idle      -         -
        Complete  Completed -         Completed Completed Completed -         -
        End       Over      -         Over      Over      Over      Over      -
        """;

    [Fact]
    public void The_body_moves_by_its_table() => Check<BodyPhase, BodyEvent>(BodyTable, RequestBody.Next);

    [Fact]
    public void The_reader_moves_by_its_table() => Check<ReadPhase, ReadEvent>(ReadTable, RequestBodyReader.Next);

    private static void Check<TPhase, TEvent>(string table, Func<TPhase, TEvent, TPhase> next)
        where TPhase : struct, Enum
        where TEvent : struct, Enum
    {
        var rows = table.Split('\n')
            .Select(static line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries)).ToList();
        var phases = rows[0].Select(Enum.Parse<TPhase>).ToList();
        Assert.Equal(Enum.GetValues<TPhase>(), phases);
        Assert.Equal(Enum.GetValues<TEvent>(), rows.Skip(1).Select(static row => Enum.Parse<TEvent>(row[0])));
        foreach (var row in rows.Skip(1))
        {
            var happened = Enum.Parse<TEvent>(row[0]);
            for (var column = 0; column < phases.Count; column++)
            {
                var cell = $"{phases[column]} + {happened}";
                if (row[column + 1] == "-")
                {
                    Assert.Throws<InvalidOperationException>(() => next(phases[column], happened));
                }
                else
                {
                    Assert.Equal($"{cell} = {row[column + 1]}", $"{cell} = {next(phases[column], happened)}");
                }
            }
        }
    }
}
