namespace FastCgi.AspNetCore.Tests.Requests;

public class FlushTimingTests
{
    private const FlushHold Both = FlushHold.Run | FlushHold.Upload;

    private static readonly object s_upload = new();

    private static readonly Dictionary<string, Event> s_events = new()
    {
        ["BeginRun"] = static (ref timing, run) => Assert.NotEqual(run, timing.BeginRun()),
        ["EndRun"] = static (ref timing, run) => Assert.True(timing.TryEndRun(run)),
        ["BreakRun"] = static (ref timing, _) => timing.BreakRun(),
        ["BeginUpload"] = static (ref timing, _) => timing.BeginUpload(s_upload),
        ["EndUpload"] = static (ref timing, _) => Assert.Equal(timing.IsHeldByUpload, timing.TryEndUpload(s_upload)),
        ["Flush"] = static (ref timing, _) => timing.Flush(isWhole: false),
        ["Leave"] = static (ref timing, _) => timing.Leave(),
        ["Reset"] = static (ref timing, _) => timing.Reset(),
    };

    private delegate void Event(ref FlushTiming timing, int run);

    /// <summary>Every state with every event, as a table.</summary>
    private const string Table = """
                    Free     Run      Upload   Both
        BeginRun    Run      Run      Both     Both
        EndRun      Free     Free     Upload   Upload
        BreakRun    Free     Free     Upload   Upload
        BeginUpload Upload   Both     Upload   Both
        EndUpload   Free     Run      Free     Run
        Flush       Free     Run      Upload   Both
        Leave       Free     Run      Upload   Both
        Reset       Free     Free     Free     Free
        """;

    [Theory, InlineData(false), InlineData(true)]
    public void A_departure_moves_by_its_table(bool isPending)
    {
        var rows = Table.Split('\n')
            .Select(static line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries)).ToList();
        foreach (var (happened, before, after) in rows.Skip(1).SelectMany(
            row => rows[0].Zip(row[1..], (state, next) => (row[0], state, next))))
        {
            var (timing, run) = At(before, isPending);
            s_events[happened](ref timing, run);

            var pending = happened == "Flush" || (isPending && happened is not ("Leave" or "Reset"));
            Assert.Equal(
                (before, happened, HoldOf(after), pending), (before, happened, timing.Hold, timing.IsPending));
            Assert.Equal(pending && after == "Free", timing.IsDue);
            Assert.Equal(after is "Upload" or "Both", timing.IsHeldByUpload);
        }
    }

    [Fact]
    public void A_run_that_another_one_followed_ends_nothing()
    {
        var timing = default(FlushTiming);
        var first = timing.BeginRun();
        var second = timing.BeginRun();
        Assert.False(timing.TryEndRun(first));
        Assert.Equal(FlushHold.Run, timing.Hold);
        Assert.True(timing.TryEndRun(second));
        Assert.Equal(FlushHold.Free, timing.Hold);
    }

    [Fact]
    public void A_run_of_an_earlier_response_ends_nothing()
    {
        var timing = default(FlushTiming);
        var earlier = timing.BeginRun();
        timing.Reset();
        Assert.False(timing.TryEndRun(earlier));
        var present = timing.BeginRun();
        timing.Flush(isWhole: false);
        Assert.False(timing.TryEndRun(earlier));
        Assert.Equal((FlushHold.Run, true), (timing.Hold, timing.IsPending));
        Assert.True(timing.TryEndRun(present));
        Assert.True(timing.IsDue);
    }

    private static (FlushTiming FlushTiming, int Run) At(string state, bool isPending)
    {
        var timing = default(FlushTiming);
        var run = timing.BeginRun();
        if (!HoldOf(state).HasFlag(FlushHold.Run))
        {
            timing.BreakRun();
        }

        if (HoldOf(state).HasFlag(FlushHold.Upload))
        {
            timing.BeginUpload(s_upload);
        }

        if (isPending)
        {
            timing.Flush(isWhole: false);
        }

        Assert.Equal(HoldOf(state), timing.Hold);
        return (timing, run);
    }

    private static FlushHold HoldOf(string state) => state == "Both" ? Both : Enum.Parse<FlushHold>(state);
}
