using System.Net;
using System.Net.Sockets;

namespace FastCgi.FuzzTests.Harness;

/// <summary>Several peers that send requests by handfuls, and leave in every bad manner there is.</summary>
public sealed class Storm(EndPoint endPoint, StormTally tally, int seed)
{
    private const int SideBySide = 8;

    private readonly bool _isUnix = endPoint is UnixDomainSocketEndPoint;

    public Task RageAsync(int requests)
    {
        var enough = tally.Sent + requests;
        return Task.WhenAll(Enumerable.Range(0, SideBySide).Select(
            lane => Task.Run(() => RageAsync(new Random((seed * 100) + lane), enough))));
    }

    private async Task RageAsync(Random random, int enough)
    {
        var buffer = new byte[16 * 1024];
        while (tally.Sent < enough)
        {
            using var peer = await PlainPeer.ConnectAsync(endPoint);
            tally.CountConnection();
            while (tally.Sent < enough && await ExchangeAsync(peer, random, buffer))
            {
            }
        }
    }

    /// <summary>A handful of requests. False: the connection is over.</summary>
    private async Task<bool> ExchangeAsync(PlainPeer peer, Random random, byte[] buffer)
    {
        var handful = new Handful(tally, random);
        switch (random.Next(20))
        {
            case 3 or 4 when !_isUnix:
                // An end of the stream is the end of the peer there, as web servers mean it.
                await EndInputAsync(peer, handful.AddAbandoned(), buffer);
                return false;
            case 0 or 1:
                // A reset on TCP; on a unix socket a close with answers unread.
                await peer.SendAsync(handful.AddAbandoned().Bytes);
                peer.Socket.LingerState = new LingerOption(true, 0);
                return false;
            case 2:
                await peer.SendAsync(handful.AddAbandoned().Bytes);
                return false;
            case 3:
                Assert.Equal(Handful.Size, await EndInputAsync(peer, handful.Add(Handful.Size), buffer));
                return false;
            case 4:
                var whole = random.Next(Handful.Size);
                Assert.Equal(whole, await EndInputAsync(peer, handful.Add(whole).AddCut(id: whole + 1), buffer));
                return false;
            default:
                // In two pieces, so that the server is busy with the first requests when the abort of another comes.
                var bytes = handful.Add(Handful.Size).Bytes;
                var piece = random.Next(bytes.Length);
                await peer.SendAsync(bytes[..piece]);
                await peer.SendAsync(bytes[piece..]);
                Assert.Equal(Handful.Size, await peer.ReadEndsAsync(Handful.Size, buffer));
                return true;
        }
    }

    /// <summary>Sends, half-closes, and reads until the server has closed. Returns how many END_REQUESTs came.</summary>
    private static async Task<int> EndInputAsync(PlainPeer peer, Handful handful, byte[] buffer)
    {
        await peer.SendAsync(handful.Bytes);
        peer.Socket.Shutdown(SocketShutdown.Send);
        return await peer.ReadEndsAsync(int.MaxValue, buffer);
    }
}

/// <summary>What the peers of a storm did, counted by themselves.</summary>
public sealed class StormTally
{
    private readonly int[] _requests = new int[Enum.GetValues<Fate>().Length];
    private int _connections;
    private int _sent;

    public int Connections => Volatile.Read(ref _connections);

    /// <summary>Requests of which at least a part was sent.</summary>
    public int Sent => Volatile.Read(ref _sent);

    /// <summary>Those that the application has to see, or for abandoned ones may see.</summary>
    public int this[Fate fate] => Volatile.Read(ref _requests[(int)fate]);

    public void CountConnection() => Interlocked.Increment(ref _connections);

    /// <summary>A request without a fate broke off before the application could see it.</summary>
    public void CountRequest(Fate? fate)
    {
        Interlocked.Increment(ref _sent);
        if (fate is { } known)
        {
            Interlocked.Increment(ref _requests[(int)known]);
        }
    }
}

/// <summary>What becomes of a request of the storm, decided by the peer that sends it.</summary>
public enum Fate
{
    /// <summary>Sent whole by a peer that reads the answer: one run of the application, status 200.</summary>
    Served,

    /// <summary>
    /// The application waits for body that never comes, because of an abort or the end of the input: one run, status
    /// 499.
    /// </summary>
    Unfinished,

    /// <summary>Sent whole and aborted with the next record: one run, and nobody knows whether it ended before.</summary>
    Raced,

    /// <summary>
    /// Its peer resets the connection, or closes it without having read anything, or on TCP has no more to send: the
    /// kernel may throw away what the server has not received, and the server may what it has. One run or none.
    /// </summary>
    Abandoned,
}

/// <summary>Each fate has a method of its own: that is how the metrics of requests tell them apart.</summary>
public static class Fates
{
    public static string Method(this Fate fate) => fate switch
    {
        Fate.Served => "POST",
        Fate.Unfinished => "PUT",
        Fate.Raced => "PATCH",
        _ => "DELETE",
    };
}

/// <summary>Some requests side by side that leave in one send. What becomes of each is settled, and counted, here.</summary>
public sealed class Handful(StormTally tally, Random random)
{
    public const int Size = 8;

    private readonly RecordBuilder _records = new();
    private int? _cutAt;

    public ReadOnlyMemory<byte> Bytes => _records.ToArray().AsMemory(0, _cutAt ?? _records.Length);

    /// <summary>Requests that get their END_REQUEST: a tenth is aborted inside the body, a tenth behind its last byte.</summary>
    public Handful Add(int count)
    {
        for (var id = 1; id <= count; id++)
        {
            var fate = random.Next(10) switch { 0 => Fate.Unfinished, 1 => Fate.Raced, _ => Fate.Served };
            var script = NewScript(id, fate);
            if (fate == Fate.Unfinished)
            {
                AddHead(script).Stdin(id, script.Body.AsSpan(0, random.Next(script.Body.Length))).Abort(id);
            }
            else
            {
                _records.Request(script);
                _ = fate == Fate.Raced ? _records.Abort(id) : _records;
            }

            tally.CountRequest(fate);
        }

        return this;
    }

    /// <summary>A request that breaks off before the last byte of its body, and so gets no END_REQUEST.</summary>
    public Handful AddCut(int id)
    {
        var script = NewScript(id, Fate.Unfinished);
        var begin = _records.Length;
        var whenSeen = AddHead(script).Length;
        var end = _records.Stdin(id, script.Body).Length;
        _cutAt = random.Next(begin + 1, end);
        tally.CountRequest(_cutAt >= whenSeen ? Fate.Unfinished : null);
        return this;
    }

    /// <summary>Requests that nobody waits for; every other time they break off somewhere.</summary>
    public Handful AddAbandoned()
    {
        for (var id = 1; id <= Size; id++)
        {
            _records.Request(NewScript(id, Fate.Abandoned));
            tally.CountRequest(Fate.Abandoned);
        }

        _cutAt = random.Next(2) == 0 ? random.Next(_records.Length) : null;
        return this;
    }

    /// <summary>Never without a body, so that CONTENT_LENGTH says how much of it is to be awaited.</summary>
    private RequestScript NewScript(int id, Fate fate) =>
        new() { Id = id, Method = fate.Method(), Body = new byte[random.Next(1, 2000)] };

    private RecordBuilder AddHead(RequestScript script) =>
        _records.Begin(script.Id).Params(script.Id, script.ToParams()).EndParams(script.Id);
}
