using FastCgi.AspNetCore.Requests;

namespace FastCgi.AspNetCore.Tests.Requests;

public class DepartureTests
{
    private static readonly object s_upload = new();

    private const DepartureHold Both = DepartureHold.Run | DepartureHold.Upload;

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

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_departure_moves_by_its_table(bool isPending)
    {
        var rows = Table.Split('\n')
            .Select(static line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries)).ToList();
        foreach (var row in rows.Skip(1))
        {
            for (var column = 0; column < rows[0].Length; column++)
            {
                var cell = $"{rows[0][column]} + {row[0]}";
                var (departure, run) = At(rows[0][column], isPending);
                Apply(ref departure, row[0], run);

                var pending = row[0] == "Flush" || (isPending && row[0] is not ("Leave" or "Reset"));
                Assert.Equal($"{cell} = {HoldOf(row[column + 1])}", $"{cell} = {departure.Hold}");
                Assert.Equal((cell, pending), (cell, departure.IsPending));
                Assert.Equal(row[column + 1] == "Free", departure.IsFree);
                Assert.Equal(pending && row[column + 1] == "Free", departure.IsDue);
                Assert.Equal(row[column + 1] is "Upload" or "Both", departure.IsHeldByUpload);
            }
        }
    }

    [Fact]
    public void A_run_that_another_one_followed_ends_nothing()
    {
        var departure = default(Departure);
        var first = departure.BeginRun();
        var second = departure.BeginRun();
        Assert.False(departure.TryEndRun(first));
        Assert.Equal(DepartureHold.Run, departure.Hold);
        Assert.True(departure.TryEndRun(second));
        Assert.True(departure.IsFree);
    }

    [Fact]
    public void A_run_of_an_earlier_response_ends_nothing()
    {
        var departure = default(Departure);
        var earlier = departure.BeginRun();
        departure.Reset();
        Assert.False(departure.TryEndRun(earlier));
        var present = departure.BeginRun();
        departure.Flush(isWhole: false);
        Assert.False(departure.TryEndRun(earlier));
        Assert.Equal((DepartureHold.Run, true), (departure.Hold, departure.IsPending));
        Assert.True(departure.TryEndRun(present));
        Assert.True(departure.IsDue);
    }

    private static (Departure Departure, int Run) At(string state, bool isPending)
    {
        var departure = default(Departure);
        var run = departure.BeginRun();
        if (!HoldOf(state).HasFlag(DepartureHold.Run))
        {
            departure.BreakRun();
        }

        if (HoldOf(state).HasFlag(DepartureHold.Upload))
        {
            departure.BeginUpload(s_upload);
        }

        if (isPending)
        {
            departure.Flush(isWhole: false);
        }

        Assert.Equal(HoldOf(state), departure.Hold);
        return (departure, run);
    }

    private static void Apply(ref Departure departure, string happened, int run)
    {
        switch (happened)
        {
            case "BeginRun":
                Assert.NotEqual(run, departure.BeginRun());
                break;
            case "EndRun":
                Assert.True(departure.TryEndRun(run));
                break;
            case "BreakRun":
                departure.BreakRun();
                break;
            case "BeginUpload":
                departure.BeginUpload(s_upload);
                break;
            case "EndUpload":
                Assert.Equal(departure.IsHeldByUpload, departure.TryEndUpload(s_upload));
                break;
            case "Flush":
                departure.Flush(isWhole: false);
                break;
            case "Leave":
                departure.Leave();
                break;
            default:
                departure.Reset();
                break;
        }
    }

    private static DepartureHold HoldOf(string state) => state == "Both" ? Both : Enum.Parse<DepartureHold>(state);
}
