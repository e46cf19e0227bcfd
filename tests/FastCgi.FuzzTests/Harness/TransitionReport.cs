using FastCgi.AspNetCore.Connections;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Requests.Body;

namespace FastCgi.FuzzTests.Harness;

/// <summary>Which transitions of the state tables this process has taken, and which it never took.</summary>
internal static class TransitionReport
{
    private delegate bool Rule<TPhase, TEvent>(TPhase phase, TEvent happened);

    public static IEnumerable<string> Lines()
    {
        yield return Table<ConnectionPhase, ConnectionPhase>(StateTable.Connection, ConnectionLife.Allows);
        yield return Table<RequestStage, RequestStage>(StateTable.Stage, FastCgiRequest.Allows);
        yield return Table<ResponsePhase, ResponseEvent>(
            StateTable.Response, static (phase, happened) => ApplicationResponse.After(phase, happened) is not null);
        yield return Holds();
        yield return Table<BodyPhase, BodyEvent>(
            StateTable.Body, static (phase, happened) => Happens(() => RequestBody.Next(phase, happened)));
        yield return Table<ReadPhase, ReadEvent>(
            StateTable.Reader, static (phase, happened) => Happens(() => RequestBodyReader.Next(phase, happened)));
    }

    private static string Holds()
    {
        var never = new List<string>();
        for (var hold = FlushHold.Free; hold <= (FlushHold.Run | FlushHold.Upload); hold++)
        {
            never.AddRange(Enum.GetValues<FlushEvent>()
                .Where(happened => Probe.CountOf(StateTable.Hold, (int)hold, (int)happened) == 0)
                .Select(happened => $"{happened} in {hold}"));
        }

        return Line("FlushTiming", 4 * Enum.GetValues<FlushEvent>().Length, never);
    }

    private static string Table<TPhase, TEvent>(StateTable table, Rule<TPhase, TEvent> allows)
        where TPhase : struct, Enum
        where TEvent : struct, Enum
    {
        var all = 0;
        var never = new List<string>();
        foreach (var phase in Enum.GetValues<TPhase>())
        {
            foreach (var happened in Enum.GetValues<TEvent>())
            {
                // The rule counts too, as if the transition had been taken.
                var (row, column) = (Convert.ToInt32(phase, null), Convert.ToInt32(happened, null));
                var count = Probe.CountOf(table, row, column);
                var isAllowed = allows(phase, happened);
                Probe.SetCount(table, row, column, count);
                if (isAllowed)
                {
                    all++;
                    never.AddRange(count == 0 ? [$"{happened} in {phase}"] : []);
                }
            }
        }

        return Line(table.ToString(), all, never);
    }

    private static string Line(string table, int all, List<string> never) =>
        $"Transitions of {table}: {all - never.Count} of {all}"
        + (never.Count == 0 ? "" : $", never {string.Join(", ", never)}");

    private static bool Happens(Action transition)
    {
        try
        {
            transition();
            return true;
        }
        catch (InvalidOperationException)
        {
            return false;
        }
    }
}
