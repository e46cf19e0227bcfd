namespace FastCgi.AspNetCore.Tests.Scheduling;

public class WorkerCrewTests
{
    [Theory, InlineData(null), InlineData(1), InlineData(3)]
    public void Held_threads_are_replaced_and_twice_as_many_come_if_all_are_held_again(int? pinned)
    {
        var crew = new ScriptedCrew(pinned);
        var serving = pinned ?? 1;
        for (var round = 1; round <= 3; round++)
        {
            crew.Hold();

            Assert.Equal(pinned is null ? crew.Crew.Count : serving << round, crew.Crew.Count);
            Assert.Contains(crew.Workers, static worker => worker.IsWaiting);
        }
    }

    /// <summary>
    /// The web server and others have half of the two processors. So the process does not use them all, and yet another
    /// thread would only share them.
    /// </summary>
    [Fact]
    public void Threads_that_want_a_processor_and_have_none_are_not_replaced_at_once()
    {
        var crew = new ScriptedCrew(pinned: 3);
        crew.Workers.ForEach(static worker => worker.Begin());
        crew.Workers.ForEach(static worker => worker.WantsProcessor = true);
        crew.Tick(ScriptedCrew.TicksUntilReplaced + 10, used: 1);
        Assert.Equal(3, crew.Crew.Count);

        // Two of them wait for something else now: for a moment that may be a collection.
        crew.Workers[0].WantsProcessor = crew.Workers[1].WantsProcessor = false;
        crew.Tick(3, used: 1);
        Assert.Equal(3, crew.Crew.Count);
        crew.Tick(1, used: 1);
        Assert.Equal(6, crew.Crew.Count);
    }

    [Fact]
    public void An_abort_gets_through_though_all_threads_compute()
    {
        var crew = new ScriptedCrew(pinned: 2);
        crew.Workers.ForEach(static worker => worker.Begin());
        crew.Workers.ForEach(static worker => worker.WantsProcessor = true);
        crew.Tick(ScriptedCrew.TicksUntilReplaced + 40, used: 1);
        Assert.Equal(4, crew.Crew.Count);
    }

    [Fact]
    public void No_thread_is_hired_beside_those_that_want_a_processor_and_have_none()
    {
        var crew = new ScriptedCrew();
        for (var tick = 0; tick < 100; tick++)
        {
            // Two runs in five milliseconds on each thread: too long to be short.
            foreach (var worker in crew.Workers)
            {
                worker.EndRuns(2);
                worker.WantsProcessor = true;
            }

            crew.Tick(used: 1);
        }

        Assert.Equal(ScriptedCrew.Processors, crew.Crew.Count);
    }

    [Fact]
    public void A_thread_that_cannot_be_started_is_said_once_and_comes_when_it_can()
    {
        var crew = new ScriptedCrew { LacksThreads = true };
        crew.Workers[0].Begin();
        crew.Tick(10 * ScriptedCrew.TicksUntilReplaced);
        Assert.Equal(1, crew.Crew.Count);
        Assert.Single(crew.Log.Entries, static entry => entry.EventId.Id == LogEvents.WorkersLacking);

        crew.LacksThreads = false;
        crew.Tick(ScriptedCrew.TicksUntilReplaced);
        Assert.Equal(2, crew.Crew.Count);
    }

    [Fact]
    public void A_pinned_thread_that_is_busy_and_gets_on_is_not_replaced()
    {
        var crew = new ScriptedCrew(pinned: 1);
        for (var i = 0; i < 1000; i++)
        {
            crew.Workers[0].EndRuns(1);
            crew.Tick();
        }

        Assert.Equal(1, crew.Crew.Count);
    }

    [Fact]
    public void A_thread_that_is_held_for_long_is_no_capacity()
    {
        var crew = new ScriptedCrew();
        crew.Hold(crew.Workers[0]);

        // Thirty seconds in which short requests fill every other thread; an extra one ends more of them.
        for (var tick = 0; tick < 6000; tick++)
        {
            var free = crew.Workers.Skip(1).ToList();
            free.ForEach(static worker => worker.EndRuns(100));
            crew.Tick(used: Math.Min(free.Count, ScriptedCrew.Processors));
        }

        // One processor each, as without the held thread.
        Assert.Equal(ScriptedCrew.Processors + 1, crew.Crew.Count);
    }

    [Fact]
    public void The_last_free_thread_never_retires()
    {
        var crew = new ScriptedCrew();
        crew.Hold(crew.Workers[0]);
        var free = crew.Workers.Where(static worker => worker.IsWaiting).ToList();

        // Each has waited in vain. Whoever asks does not wait at that moment.
        var left = free.Count(worker =>
        {
            worker.Begin();
            var retires = crew.Crew.TryRetire(worker);
            worker.Wait();
            return retires;
        });

        Assert.Equal(free.Count - 1, left);

        // The held one is back: the other may go.
        crew.Workers[0].Wait();
        Assert.True(crew.Crew.TryRetire(free[^1]));
        Assert.Equal(1, crew.Crew.Count);
    }

    [Fact]
    public void A_thread_that_has_just_been_taken_counts_while_it_gets_on()
    {
        var crew = new ScriptedCrew(pinned: 1);
        crew.Hold(crew.Workers[0]);

        Assert.False(crew.Crew.TryRetire(crew.Workers[1]));
        crew.Workers[0].EndRuns(1);
        Assert.True(crew.Crew.TryRetire(crew.Workers[1]));
    }

    [Fact]
    public void What_replaced_a_pinned_thread_leaves_a_second_after_that_one_is_back()
    {
        var crew = new ScriptedCrew(pinned: 1);
        crew.Hold(crew.Workers[0]);
        Assert.Equal(2, crew.Crew.Count);

        for (var tick = 0; tick < 199; tick++)
        {
            Assert.False(crew.Crew.HasSurplus);
            crew.Workers.ForEach(static worker => worker.EndRuns(1));
            crew.Tick();
        }

        crew.Workers.ForEach(static worker => worker.EndRuns(1));
        crew.Tick();
        Assert.True(crew.Crew.HasSurplus);
        crew.Workers.ForEach(static worker => worker.EndRuns(1));
        Assert.True(crew.Crew.TryRetire(crew.Workers[1]));
        Assert.Equal(1, crew.Crew.Count);
    }

    [Fact]
    public void At_the_limit_there_is_one_warning()
    {
        var crew = new ScriptedCrew(pinned: 1);
        for (var round = 0; round < WorkerGrowth.MaxWorkers + 20; round++)
        {
            crew.Hold();
        }

        Assert.Equal(WorkerGrowth.MaxWorkers + 1, crew.Crew.Count);
        var warning = Assert.Single(crew.Log.Entries, static entry => entry.EventId.Id == LogEvents.WorkersAtLimit);
        Assert.Equal(LogLevel.Warning, warning.Level);
        Assert.Contains("1025 threads are in use", warning.Message, StringComparison.Ordinal);
    }

    /// <summary>Else the end of what the handlers wait for would wait for the end of a handler.</summary>
    [Fact]
    public void At_the_limit_one_thread_more_only_reads_until_others_serve_again()
    {
        var crew = new ScriptedCrew(pinned: 1);
        while (crew.Crew.Count < WorkerGrowth.MaxWorkers + 1)
        {
            crew.Hold();
        }

        Assert.DoesNotContain(crew.Workers, static worker => worker.OnlyReads);
        crew.Hold();
        var reader = Assert.Single(crew.Workers, static worker => worker.OnlyReads);
        Assert.False(crew.Crew.TryRetire(reader));
        crew.Tick(10);
        Assert.Single(crew.Workers, static worker => worker.OnlyReads);

        crew.Workers[0].Wait();
        crew.Tick();
        Assert.True(crew.Crew.HasSurplus);
        Assert.True(crew.Crew.TryRetire(reader));
    }

    [Fact]
    public void What_a_stalled_thread_has_fetched_is_given_back_at_the_first_tick()
    {
        var crew = new ScriptedCrew(pinned: 2);
        crew.Workers[0].Begin();
        crew.Workers[1].EndRuns(1);

        crew.Tick();

        Assert.Equal(1, crew.Workers[0].BatchesGivenBack);
        Assert.Equal(0, crew.Workers[1].BatchesGivenBack);
    }

    [Fact]
    public void Batches_are_judged_by_the_threads_that_are_not_held()
    {
        var crew = new ScriptedCrew(pinned: 1);
        crew.Hold(crew.Workers[0]);

        crew.Workers[1].EndRuns(50);
        crew.Tick();
        Assert.True(crew.Crew.RunsAreShort);

        crew.Hold(crew.Workers[1]);
        Assert.False(crew.Crew.RunsAreShort);
    }

    [Fact]
    public void After_the_stop_nobody_comes_or_retires_and_the_last_to_leave_ends_the_crew()
    {
        var crew = new ScriptedCrew(pinned: 2);
        var woken = 0;
        Assert.True(crew.Crew.TryStop(() => woken++));
        Assert.False(crew.Crew.TryStop(() => woken++));
        Assert.Equal(1, woken);

        crew.Workers[0].Begin();
        crew.Tick(100);
        Assert.Equal(2, crew.Workers.Count);
        Assert.False(crew.Crew.TryRetire(crew.Workers[1]));

        crew.Crew.OnStopped(crew.Workers[1]);
        Assert.False(crew.HasEnded);
        crew.Crew.OnStopped(crew.Workers[0]);
        Assert.True(crew.HasEnded);
    }
}
