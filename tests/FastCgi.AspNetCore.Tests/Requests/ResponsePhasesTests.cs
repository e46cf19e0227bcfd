namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>Every phase with every event, as a table; a dash is forbidden.</summary>
public class ResponsePhasesTests
{
    private const string Table = """
                      Unstarted Starting Refused  Dropped  Started  Ended    Torn
        RunCallbacks  Starting  Starting -        -        -        -        -
        FailCallbacks -         Refused  -        -        -        -        -
        Start         Started   Started  -        -        -        -        -
        StartError    Started   Started  Started  -        -        -        -
        End           -         -        -        -        Ended    -        -
        Break         Dropped   Dropped  Dropped  -        Torn     -        -
        """;

    [Fact]
    public void A_response_moves_by_its_table()
    {
        var rows = Table.Split('\n')
            .Select(static line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries)).ToList();
        var phases = rows[0].Select(Enum.Parse<ResponsePhase>).ToList();
        Assert.Equal(Enum.GetValues<ResponsePhase>(), phases);
        Assert.Equal(
            Enum.GetValues<ResponseEvent>(), rows.Skip(1).Select(static row => Enum.Parse<ResponseEvent>(row[0])));
        foreach (var row in rows.Skip(1))
        {
            var happened = Enum.Parse<ResponseEvent>(row[0]);
            for (var column = 0; column < phases.Count; column++)
            {
                var cell = $"{phases[column]} + {happened}";
                var after = ApplicationResponse.After(phases[column], happened)?.ToString() ?? "-";
                Assert.Equal($"{cell} = {row[column + 1]}", $"{cell} = {after}");
            }
        }
    }

    [Theory]
    [InlineData(false, false, false, "Error")]
    [InlineData(false, false, true, "Error")]
    [InlineData(false, true, false, "Error")]
    [InlineData(false, true, true, "Error")]
    [InlineData(true, false, false, "Whole")]
    [InlineData(true, false, true, "Whole")]
    [InlineData(true, true, false, "Torn")]
    [InlineData(true, true, true, "Whole")]
    public void An_outcome_follows_from_start_failure_and_body(
        bool hasStarted, bool hasFailed, bool isBodyForbidden, string outcome) =>
        Assert.Equal(outcome, ApplicationResponse.OutcomeOf(hasStarted, hasFailed, isBodyForbidden).ToString());
}
