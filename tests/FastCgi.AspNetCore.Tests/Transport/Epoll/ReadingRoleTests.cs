namespace FastCgi.AspNetCore.Tests.Transport.Epoll;

/// <summary>The word that decides who reads, in every order in which threads can reach it.</summary>
public class ReadingRoleTests
{
    private const int EventsBeforeTheEnd = 2;

    /// <summary>
    /// There is one reader at a time, and nothing stays unread. The end of the stream is read after the bytes, a pause
    /// holds until it is resumed, and a role that is released to the next event loses nothing.
    /// </summary>
    [Theory]
    [InlineData("Bytes Bytes", "Bytes")]
    [InlineData("Bytes BytesAndEnd", "Bytes")]
    [InlineData("Bytes Bytes", "BytesAndEnd")]
    [InlineData("Bytes Bytes", "Bytes", true)]
    [InlineData("Bytes BytesAndEnd", "Bytes", false, true)]
    public void Two_threads_read_all_that_comes_however_the_events_meet(
        string first, string second, bool pauses = false, bool releases = false)
    {
        var orders = Interleavings.Explore(
            () => new Socket { PausesAtFirstRead = pauses, ReleasesAtFirstTake = releases },
            static socket => socket.AssertAllRead(),
            [
                new Actor<Socket>("first", socket => OnEvents(socket, Parse(first))),
                new Actor<Socket>("second", socket => OnEvents(socket, Parse(second))),
                .. pauses ? [new Actor<Socket>("resumes", Resume)] : Array.Empty<Actor<Socket>>(),
            ]);

        Assert.InRange(orders, 100, int.MaxValue);
    }

    [Fact]
    public void Of_two_that_resume_one_arms()
    {
        Interleavings.Explore(
            static () => new Socket { PausesAtFirstRead = true },
            static socket =>
            {
                socket.AssertAllRead();
                Assert.Equal(1, socket.Resumed);
            },
            new Actor<Socket>("reads", static socket => OnEvents(socket, Arrival.Bytes)),
            new Actor<Socket>("first", Resume),
            new Actor<Socket>("second", Resume));
    }

    [Fact]
    public void A_role_that_is_held_from_the_start_ignores_events_until_it_is_given_back()
    {
        var role = new ReadingRole(isHeld: true);
        Assert.False(role.TryTake());
        Assert.False(role.TryGiveBack());
        Assert.True(role.TryGiveBack());
        Assert.True(role.TryTake());
    }

    private static Arrival[] Parse(string arrivals) => Array.ConvertAll(arrivals.Split(' '), Enum.Parse<Arrival>);

    private static IEnumerable<Step> OnEvents(Socket socket, params Arrival[] arrivals)
    {
        foreach (var arrival in arrivals)
        {
            if (arrival == Arrival.BytesAndEnd)
            {
                yield return Step.Until(() => socket.Arrived == EventsBeforeTheEnd, "waits for the peer's last bytes");
            }

            socket.Arrive(arrival);
            yield return $"{arrival} arrive, and this thread gets the event";
            foreach (var step in OnEvent(socket, isEnd: arrival == Arrival.BytesAndEnd))
            {
                yield return step;
            }
        }
    }

    private static IEnumerable<Step> OnEvent(Socket socket, bool isEnd)
    {
        if (isEnd)
        {
            socket.Role.OnInputEnded();
            yield return "says that the input has ended";
        }

        if (!socket.TryTake())
        {
            yield return "does not become the reader";
            yield break;
        }

        yield return "becomes the reader";
        if (socket.ReleasesAtFirstTake)
        {
            socket.ReleasesAtFirstTake = false;
            socket.Readers--;
            socket.Role.Release();
            yield return "releases the role";
            foreach (var step in Arm(socket))
            {
                yield return step;
            }

            yield break;
        }

        while (socket.Read())
        {
            yield return "reads";
            if (socket.PausesAtFirstRead)
            {
                socket.PausesAtFirstRead = false;
                socket.Pause();
                yield return "pauses";
                yield break;
            }

            if (socket.TryGiveBack())
            {
                yield return "gives the role back";
                yield break;
            }

            yield return "keeps the role";
        }
    }

    /// <summary>The set reports again what there is to read, to this thread.</summary>
    private static IEnumerable<Step> Arm(Socket socket) =>
        socket.HasUnread ? OnEvent(socket, socket.HasEnded) : [];

    private static IEnumerable<Step> Resume(Socket socket)
    {
        yield return Step.Until(() => socket.IsPaused, "waits for the pause");
        if (!socket.Role.TryResume())
        {
            yield break;
        }

        socket.Resumed++;
        yield return "resumes";
        foreach (var step in Arm(socket))
        {
            yield return step;
        }
    }

    private enum Arrival
    {
        Bytes,
        BytesAndEnd,
    }

    /// <summary>What the kernel has of a connection, beside the shipped word.</summary>
    private sealed class Socket
    {
        public ReadingRole Role;

        private int _unread;
        private bool _endWasRead;

        public int Arrived { get; private set; }

        public int Readers { get; set; }

        public int Resumed { get; set; }

        public bool PausesAtFirstRead { get; set; }

        public bool ReleasesAtFirstTake { get; set; }

        public bool IsPaused { get; private set; }

        public bool HasEnded { get; private set; }

        public bool HasUnread => _unread > 0 || (HasEnded && !_endWasRead);

        public void Arrive(Arrival arrival)
        {
            Arrived++;
            _unread++;
            HasEnded |= arrival == Arrival.BytesAndEnd;
        }

        public bool TryTake()
        {
            var taken = Role.TryTake();
            if (taken)
            {
                Assert.Equal(1, ++Readers);
            }

            return taken;
        }

        /// <summary>One receive: the bytes, or the end behind them. False: it was the end.</summary>
        public bool Read()
        {
            Assert.Equal(1, Readers);
            if (_unread == 0 && HasEnded)
            {
                _endWasRead = true;
                Role.OnEndRead();
                return false;
            }

            _unread = 0;
            return true;
        }

        public bool TryGiveBack()
        {
            var givenBack = Role.TryGiveBack();
            Readers -= givenBack ? 1 : 0;
            return givenBack;
        }

        public void Pause()
        {
            Readers--;
            IsPaused = true;
            Role.Pause();
        }

        public void AssertAllRead() => Assert.False(HasUnread, "Something stays unread.");
    }
}
