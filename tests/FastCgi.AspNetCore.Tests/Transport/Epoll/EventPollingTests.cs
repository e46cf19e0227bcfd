namespace FastCgi.AspNetCore.Tests.Transport.Epoll;

/// <summary>A transport's only thread, its clock, and events that come at times of the test's choice.</summary>
[SupportedOSPlatform("linux")]
public class EventPollingTests
{
    private static readonly TimeSpan Near = TimeSpan.FromMicroseconds(40);
    private static readonly TimeSpan Far = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan WakeUp = TimeSpan.FromMicroseconds(60);

    private readonly ScriptedEvents _events = new();
    private EventPolling _polling;
    private long _ended;

    public EventPollingTests() => _polling = new EventPolling(_events, processors: 2, _events.Time);

    [Fact]
    public void Looking_goes_on_where_it_ends_more_requests_in_the_same_time()
    {
        Assert.False(_polling.Looks);

        Serve(4 * EventPolling.Window, Near);
        Assert.True(_polling.Looks);
        var slept = _events.Sleeps;
        Serve(EventPolling.Window, Near);

        Assert.Equal(slept, _events.Sleeps);
        Assert.InRange(_polling.TimeLooked, EventPolling.Window * Near, 8 * EventPolling.Window * Near);
    }

    [Fact]
    public void It_is_tried_again_and_given_up_when_it_gains_nothing_any_more()
    {
        Serve(4 * EventPolling.Window, Near);
        Assert.True(_polling.Looks);

        _events.CostOfLooking = WakeUp;
        Serve((EventPolling.WindowsUntilNextTrial + 2) * EventPolling.Window, Near);

        Assert.False(_polling.Looks);
    }

    [Fact]
    public void Pauses_grow_while_it_gains_nothing()
    {
        _events.CostOfLooking = WakeUp;

        var first = WaitsWithLooks(2 * EventPolling.ShortestPause);
        var later = WaitsWithLooks(64 * EventPolling.ShortestPause);

        Assert.InRange(first, 1, 2 * EventPolling.Window);
        Assert.InRange(later, 1, 6 * EventPolling.Window);
    }

    [Fact]
    public void Requests_that_are_far_apart_never_have_the_thread_look()
    {
        Assert.Equal(0, WaitsWithLooks(8 * EventPolling.ShortestPause, Far));
        Assert.Equal(TimeSpan.Zero, _polling.TimeLooked);
    }

    [Fact]
    public void A_few_looks_in_vain_end_it_when_the_requests_end()
    {
        Serve(4 * EventPolling.Window, Near);
        var looked = _polling.TimeLooked;

        Serve(EventPolling.MostInVain, Far);
        Assert.False(_polling.Looks);
        Serve(2 * EventPolling.Window, Far);

        var inVain = _polling.TimeLooked - looked;
        Assert.InRange(inVain, EventPolling.LongestLook, 2 * EventPolling.MostInVain * EventPolling.LongestLook);
    }

    [Fact]
    public void It_ends_at_once_when_another_thread_had_the_processor()
    {
        Serve(4 * EventPolling.Window, Near);
        Assert.True(_polling.Looks);

        _events.Time.Advance(Near);
        _events.LostBeforeNextLook = EventPolling.LongestGap;
        Serve(1, Near);

        Assert.False(_polling.Looks);
    }

    [Fact]
    public void With_one_processor_the_thread_never_looks()
    {
        _polling = new EventPolling(_events, processors: 1, _events.Time);

        Assert.Equal(0, WaitsWithLooks(4 * EventPolling.ShortestPause));
    }

    [Fact]
    public void Events_that_end_no_request_are_no_gain()
    {
        for (var i = 0; i < 4 * EventPolling.ShortestPause; i++)
        {
            _events.NextIn(Near, WakeUp);
            _polling.Wait(new byte[EpollSet.SizeOfEvent], timeoutMilliseconds: -1, ended: 0);
            Assert.False(_polling.Looks);
        }
    }

    private void Serve(int requests, TimeSpan apart)
    {
        for (var i = 0; i < requests; i++)
        {
            _events.NextIn(apart, WakeUp);
            Assert.Equal(1, _polling.Wait(new byte[EpollSet.SizeOfEvent], timeoutMilliseconds: -1, _ended++));
        }
    }

    private int WaitsWithLooks(int requests, TimeSpan? apart = null)
    {
        var count = 0;
        for (var i = 0; i < requests; i++)
        {
            var before = _events.Looks;
            Serve(1, apart ?? Near);
            count += _events.Looks > before ? 1 : 0;
        }

        return count;
    }

    /// <summary>
    /// One event at a time. A look takes twenty microseconds; who sleeps is woken late. Each look yields the processor
    /// for real, which takes milliseconds on a busy machine, so there are few.
    /// </summary>
    private sealed class ScriptedEvents : IEventSource
    {
        private static readonly TimeSpan Look = TimeSpan.FromMicroseconds(20);

        private DateTimeOffset _next;
        private TimeSpan _wakeUp;

        public ManualTimeProvider Time { get; } = new();

        public int Looks { get; private set; }

        public int Sleeps { get; private set; }

        /// <summary>What each event costs more if it is found by a look.</summary>
        public TimeSpan CostOfLooking { get; set; }

        /// <summary>What goes by before the next look.</summary>
        public TimeSpan LostBeforeNextLook { get; set; }

        public void NextIn(TimeSpan time, TimeSpan wakeUp)
        {
            _next = Time.GetUtcNow() + time;
            _wakeUp = wakeUp;
        }

        public int Wait(Span<byte> memory, int timeoutMilliseconds)
        {
            if (timeoutMilliseconds != 0)
            {
                Sleeps++;
                var late = _next + _wakeUp - Time.GetUtcNow();
                Time.Advance(late > TimeSpan.Zero ? late : TimeSpan.Zero);
                return 1;
            }

            Looks++;
            var isThere = Time.GetUtcNow() >= _next;
            Time.Advance(Look + LostBeforeNextLook + (isThere ? CostOfLooking : TimeSpan.Zero));
            return isThere ? 1 : 0;
        }
    }
}
