using System.Net;
using System.Text;
using FastCgi.AspNetCore;
using FastCgi.AspNetCore.Connections;
using FastCgi.AspNetCore.Requests;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;
using Microsoft.Extensions.Logging;

namespace FastCgi.FuzzTests.Memory;

/// <summary>
/// A server of its own with a handful of peers, on a clock of its own, from the first conversation to the last.
/// All of it follows from the seed.
/// </summary>
internal sealed class World : IStep
{
    public const int Conversations = 40;

    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(15);

    [ThreadStatic]
    private static MemoryPool? t_pool;

    private readonly Dice _dice;
    private readonly StepScheduler _scheduler;
    private readonly MemoryLog _log;
    private readonly MemoryPool _buffers = t_pool ??= new MemoryPool();
    private readonly ServerContext _server;
    private readonly RequestPool _requests;
    private readonly Targets _targets = new();
    private readonly FuzzApplication _application;
    private readonly MemoryApplication _contexts;
    private readonly List<MemoryPeer> _peers = [];
    private readonly List<ConversationModel> _models = [];
    private readonly List<PeerConnection> _connections = [];
    private readonly Stack<byte[]> _inputs = new();
    private readonly FastCgiListenOptions _fastCgi = new(new IPEndPoint(IPAddress.Loopback, 9000));
    private readonly FastCgiListenOptions _scgi = new(new IPEndPoint(IPAddress.Loopback, 9001))
    {
        Protocol = FastCgiEndpointProtocol.Scgi,
    };

    private readonly int _sideBySide;
    private readonly int _stopsAt;
    private bool _isStopping;
    private string? _error;
    private ulong? _wrong;
    private int _begun;
    private long _lastEnd;

    /// <param name="tells">Keeps a line for each thing that happens to a conversation.</param>
    /// <param name="tellsBuffers">Keeps who rented each buffer, which takes long.</param>
    public World(ulong seed, bool tells = false, bool tellsBuffers = false)
    {
        Seed = seed;
        _dice = new Dice(seed);
        _buffers.Tells = tellsBuffers;
        Trace = new Trace { Lines = tells ? [] : null };
        _scheduler = new StepScheduler(_dice, Trace, _dice.Below(4) switch { 0 => 0, 1 => 8, _ => 40 })
        {
            IsDiskFull = _dice.OnceIn(24),
        };
        _fastCgi.AllowUpgrade = _dice.OnceIn(2);
        _log = new MemoryLog { Level = _dice.OnceIn(8) ? LogLevel.Trace : LogLevel.Error, Throws = _dice.OnceIn(8) };
        _server = new ServerContext(NewOptions(), _log, _scheduler.Time) { Buffers = _buffers };
        _application = new FuzzApplication(_scheduler, _targets, HasSelectors);
        _contexts = new MemoryApplication(_application);
        _requests = new RequestPool(_server, new ApplicationRunner<MemoryContext>(_contexts));
        _sideBySide = _dice.Between(1, 6);
        _stopsAt = _dice.OnceIn(8) ? _dice.Below(Conversations) : int.MaxValue;
    }

    public ulong Seed { get; }

    public Trace Trace { get; }

    public long Steps => _scheduler.Steps;

    public int Requests => _targets.All.Sum(static conversation =>
        conversation.Scripts.Sum(static script => script.Sightings));

    private bool HasSelectors => _server.Options.RequestHeaderEncodingSelector is not null;

    /// <summary>Lets it run to its end. What was wrong, or null.</summary>
    public string? Run()
    {
        using var heartbeat = new Heartbeat(_scheduler.Time, OnHeartbeat, _server.ConnectionLog, static () => true);
        _scheduler.Add(this);
        string? error;
        while (true)
        {
            _scheduler.RunReady();
            error = FirstError();
            if (error is not null || (_begun >= Conversations && _connections.Count == 0))
            {
                break;
            }

            if (_scheduler.Time.GetElapsedTime(_lastEnd) > s_patience)
            {
                _wrong ??= _peers[0].Conversation.Seed;
                error = "it stands still: " + string.Join("; ", _peers);
                break;
            }

            if (!TryNudge())
            {
                _peers.ForEach(static peer => peer.OnPause());
                _scheduler.AdvanceTime();
            }
        }

        _buffers.Inspect();
        error ??= LeftBehind();
        _buffers.Forget();
        return error is null ? null : $"seed {Seed}: {error}";
    }

    /// <summary>What the failure of a seed looks like, with the last lines of its trace.</summary>
    public static string Explain(ulong seed, string first)
    {
        var world = new World(seed, tells: true, first.Contains("buffers", StringComparison.Ordinal));
        var error = world.Run();
        var lines = world.Trace.Lines!.Where(line => world._wrong is null
            || line.StartsWith($"conversation {world._wrong}:", StringComparison.Ordinal));
        var code = world._wrong is { } wrong ? CSharp.Of(Generator.Create(wrong, Odds.Memory)) : "";
        return string.Join('\n', [error ?? $"seed {seed}: it does not happen again", code, .. lines.TakeLast(60)]);
    }

    /// <summary>Accepts a connection while there is room for one.</summary>
    void IStep.Run()
    {
        if (_connections.Count >= _sideBySide || _begun >= Conversations)
        {
            return;
        }

        if (_begun >= _stopsAt && !_isStopping)
        {
            Stop();
        }

        Accept();
        _scheduler.Add(this);
    }

    private FastCgiServerOptions NewOptions()
    {
        var options = new FastCgiServerOptions();
        options.Limits.KeepAliveTimeout = TimeSpan.FromSeconds(130);
        options.Limits.MinRequestBodyDataRate = _dice.OnceIn(2) ? null : options.Limits.MinRequestBodyDataRate;
        options.Limits.MaxRequestBufferSize = _dice.OnceIn(3) ? _dice.Between(1, 20_000) : 1 << 20;
        options.Limits.MaxResponseBufferSize = _dice.OnceIn(3) ? _dice.Below(5000) : 1 << 16;
        options.Limits.MaxConcurrentUpgradedConnections = _dice.OnceIn(8) ? _dice.Below(2) : null;
        options.Limits.MaxRequestBodySize = _dice.OnceIn(24) ? _dice.Below(20_000) : options.Limits.MaxRequestBodySize;
        options.AddServerHeader = _dice.OnceIn(4);
        if (_dice.OnceIn(4))
        {
            options.RequestHeaderEncodingSelector = Select;
            options.ResponseHeaderEncodingSelector = Select;
        }

        return options;
    }

    /// <summary>An encoding selector is user code, and may fail.</summary>
    private Encoding? Select(string header)
    {
        _scheduler.MayPreempt();
        return header == "X-Fails" ? throw new PlannedException() : null;
    }

    private void Accept()
    {
        var conversation = Generator.Create((Seed * Conversations) + (ulong)_begun++, Odds.Memory);
        var model = new ConversationModel(conversation, HasSelectors);
        _targets.Add(conversation);
        _models.Add(model);
        if (_scheduler.IsDiskFull || _server.Limits.MaxRequestBodySize < 30_000
            || (_server.Limits.MaxConcurrentUpgradedConnections is not null
                && conversation.Scripts.Exists(static script => script.IsUpgrade)))
        {
            // Not every body is read, and not every upgrade succeeds.
            model.DoubtAll();
        }

        if (_isStopping)
        {
            model.Stop();
        }

        var peer = new MemoryPeer(_scheduler, _dice, conversation, model);
        if (!_inputs.TryPop(out var input))
        {
            input = new byte[_dice.OnceIn(8) ? 1 << 18 : 1 << 16];
        }

        var socket = new MemorySocket(_scheduler, _log, peer, input, peer.IsUnix, peer.HasOwnThreads);
        var connection = new PeerConnection(
            _server,
            _requests,
            socket,
            conversation.IsScgi ? _scgi : _fastCgi,
            (closed, _) => OnClosed(closed, peer, input));
        _connections.Add(connection);
        _peers.Add(peer);
        connection.Start();
        peer.Begin(socket);
        if (_isStopping)
        {
            connection.CloseForStop();
        }
    }

    private void OnClosed(PeerConnection connection, MemoryPeer peer, byte[] input)
    {
        _connections.Remove(connection);
        _peers.Remove(peer);
        _inputs.Push(input);
        _lastEnd = _scheduler.Time.GetTimestamp();
        if (peer.Judge() is { } error)
        {
            _wrong ??= peer.Conversation.Seed;
            _error ??= $"{error}. {peer}";
        }

        _scheduler.Add(this);
    }

    private void Stop()
    {
        _isStopping = true;
        foreach (var peer in _peers)
        {
            peer.Model.Stop();
        }

        foreach (var connection in _connections.ToArray())
        {
            connection.CloseForStop();
        }
    }

    private void OnHeartbeat()
    {
        _server.Clock.Tick();
        foreach (var connection in _connections.ToArray())
        {
            connection.OnHeartbeat();
        }
    }

    /// <summary>A peer of a conversation that is wrong may wait for what will never come.</summary>
    private bool TryNudge()
    {
        var waiting = _peers.Find(static peer => peer.WaitsInVain);
        if (waiting is null || _dice.OnceIn(4))
        {
            return false;
        }

        waiting.GiveUp();
        return true;
    }

    private string? FirstError() =>
        _error
        ?? PeerError()
        ?? _application.Error
        ?? _log.Error
        ?? _scheduler.Escaped?.ToString();

    private string? PeerError()
    {
        foreach (var peer in _peers)
        {
            if (peer.Error is { } error)
            {
                _wrong ??= peer.Conversation.Seed;
                return $"{error}. {peer}";
            }
        }

        return null;
    }

    private string? LeftBehind() =>
        _models.Find(static model => model.Sighting is not null) is { } wrong ? wrong.Sighting
        : _server.OpenRequests != 0 ? $"{_server.OpenRequests} requests are open"
        : _application.Running != 0 ? $"{_application.Running} requests are in the application"
        : _contexts.Contexts != 0 ? $"{_contexts.Contexts} contexts were not disposed"
        : _buffers.Outstanding != 0
            ? $"{_buffers.Outstanding} buffers were not given back {_buffers.Renters.First()}"
        : _buffers.Strange != 0
            ? $"{_buffers.Strange} buffers given back twice, or written to afterwards {_buffers.StrangeCaller}"
        : null;
}
