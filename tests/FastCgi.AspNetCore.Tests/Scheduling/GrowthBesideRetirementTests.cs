namespace FastCgi.AspNetCore.Tests.Scheduling;

/// <summary>The monitor looks while threads take events, are held, and retire: every order.</summary>
public class GrowthBesideRetirementTests
{
    [Theory, InlineData(null), InlineData(1)]
    public void Whatever_meets_a_thread_is_free_in_the_end_and_none_left_a_held_one_alone(int? pinned)
    {
        var orders = Interleavings.Explore(
            () => new Scene(pinned),
            static scene => scene.AssertServed(),
            new Actor<Scene>("monitor", TickFourTimes),
            new Actor<Scene>(
                "first",
                static scene => scene.First.Begin(),
                static scene => scene.First.Wait(),
                static scene => scene.Hold()),
            new Actor<Scene>("second", WaitInVainTwice));

        Assert.InRange(orders, 1000, int.MaxValue);
    }

    private static IEnumerable<Step> TickFourTimes(Scene scene)
    {
        for (var i = 0; i < 4; i++)
        {
            scene.Tick();
            yield return $"tick {i + 1}";
        }
    }

    private static IEnumerable<Step> WaitInVainTwice(Scene scene)
    {
        for (var i = 0; i < 2; i++)
        {
            scene.Second.Begin();
            yield return "wakes without an event";
            if (scene.TryRetireSecond())
            {
                yield break;
            }

            scene.Second.Wait();
            yield return "stays, and waits again";
        }
    }

    /// <summary>Two threads, the second of which came because the first was held once.</summary>
    private sealed class Scene
    {
        private readonly ScriptedCrew _crew;
        private int _ticksOfHold = -1;
        private bool _hasSecondLeft;

        public Scene(int? pinned)
        {
            _crew = new ScriptedCrew(pinned);
            First.Begin();
            _crew.Tick(ScriptedCrew.TicksUntilReplaced);
            First.Wait();
            Assert.Equal(2, _crew.Crew.Count);
        }

        public ScriptedWorker First => _crew.Workers[0];

        public ScriptedWorker Second => _crew.Workers[1];

        public void Hold()
        {
            First.Begin();
            _ticksOfHold = 0;
        }

        public void Tick()
        {
            _crew.Tick();
            _ticksOfHold += _ticksOfHold >= 0 ? 1 : 0;
        }

        public bool TryRetireSecond()
        {
            // Beyond one processor's worth the monitor may have hired others meanwhile.
            var isLastFree = _ticksOfHold > 0 && !_crew.Workers.Any(static worker => worker.IsWaiting);
            _hasSecondLeft = _crew.Crew.TryRetire(Second);
            Assert.False(_hasSecondLeft && isLastFree, "The last free thread has left a held one alone.");
            return _hasSecondLeft;
        }

        public void AssertServed()
        {
            _crew.Tick(ScriptedCrew.TicksUntilReplaced);
            Assert.Contains(
                _crew.Workers, worker => worker.IsWaiting && !(_hasSecondLeft && worker == Second));
        }
    }
}
