namespace FastCgi.FuzzTests.Model;

/// <summary>
/// What must become of a conversation, by the specification and the table of hard inputs and not by the server's code.
/// Where the outcome depends on who is faster (an id begun again before its answer was seen, a record behind the last
/// request of a connection), the model says so and expects less, never something wrong.
/// </summary>
internal sealed partial class ConversationModel
{
    private const int HeaderSize = 8;

    private readonly Conversation _conversation;
    private readonly bool _hasSelectors;
    private readonly Dictionary<int, ModelRequest> _open = [];
    private List<ModelRequest> _requests = [];
    private readonly List<Wait> _waits = [];
    private byte[] _pending = [];
    private bool _hasStrays;

    /// <param name="hasSelectors">The server has encoding selectors, which some requests let fail.</param>
    public ConversationModel(Conversation conversation, bool hasSelectors)
    {
        _conversation = conversation;
        _hasSelectors = hasSelectors;
        Follow();
    }

    /// <summary>All that were begun, in order. In doubt a BEGIN_REQUEST is counted as one.</summary>
    public List<ModelRequest> Requests => _requests;

    /// <summary>Where sending stops until so many answers have come to the id.</summary>
    public IReadOnlyList<Wait> Waits => _waits;

    /// <summary>No protocol violation yet.</summary>
    public bool IsAlive { get; private set; } = true;

    /// <summary>A protocol violation, or what may have been one: the connection may end anywhere.</summary>
    public bool MayBeDropped { get; private set; }

    /// <summary>The server may stop taking requests at any moment, or may have stopped already.</summary>
    public bool IsUncertain { get; private set; }

    public bool IsBetweenRecords => _pending.Length == 0;

    /// <summary>Fewest and most records of id 0 that come back.</summary>
    public int LeastManagement { get; private set; }

    public int MostManagement { get; private set; }

    /// <summary>A response that had begun may break off.</summary>
    public bool MayTear { get; private set; }

    /// <summary>The server stops meanwhile, and may end the connection whatever runs on it.</summary>
    public bool IsStopped { get; private set; }

    /// <summary>What is wrong with the requests that the application saw, or null.</summary>
    public string? Sighting =>
        _conversation.Scripts.Select(OnSighting).FirstOrDefault(static error => error is not null);

    /// <summary>The server refuses this or that, so nobody knows what the application sees.</summary>
    public void DoubtAll()
    {
        _conversation.Doubt();
        ExpectNothing();
    }

    /// <summary>The server stops meanwhile, so it may refuse what it would have taken.</summary>
    public void Stop()
    {
        IsStopped = true;
        if (!_conversation.IsScgi)
        {
            _open.Clear();
            _requests = [];
            _pending = [];
            (IsAlive, IsUncertain, MostManagement) = (true, true, 0);
            var waits = _waits.ToArray();
            Follow();
            _waits.Clear();
            _waits.AddRange(waits);
        }

        ExpectNothing();
    }

    public void Feed(ReadOnlySpan<byte> bytes)
    {
        if (_pending.Length > 0)
        {
            bytes = (byte[])[.. _pending, .. bytes];
        }

        while (IsAlive && !bytes.IsEmpty)
        {
            if (bytes[0] != 1)
            {
                Drop();
                break;
            }

            if (bytes.Length < HeaderSize || bytes.Length < Header.Read(bytes).Size)
            {
                break;
            }

            var header = Header.Read(bytes);
            OnRecord(header, bytes.Slice(HeaderSize, header.Length));
            bytes = bytes[header.Size..];
        }

        _pending = bytes.ToArray();
    }

    /// <summary>None is seen twice, and none as it was not sent.</summary>
    private string? OnSighting(Script script) => script.Complaint
        ?? (!_hasStrays && script.Sightings > _requests.Count(request => request.Script == script)
            ? $"the application saw {script.Sightings} times {script}"
            : null);

    private void Follow()
    {
        if (_conversation.IsScgi)
        {
            BeginScgi();
            return;
        }

        var fed = 0;
        foreach (var stop in _conversation.Stops)
        {
            Feed(_conversation.Bytes.AsSpan(fed..stop.Position));
            fed = stop.Position;
            AddWait(stop);
        }

        Feed(_conversation.Bytes.AsSpan(fed));
        Finish();
    }

    private void ExpectNothing()
    {
        MayTear = true;
        Doubt();
        _requests.ForEach(static request => request.IsCertain = false);
        for (var i = 0; i < _waits.Count; i++)
        {
            _waits[i] = _waits[i] with { IsCertain = false };
        }
    }

    private void AddWait(Stop stop)
    {
        // Over a socket, a peer that resets has not read anything: nothing is confirmed.
        if (_conversation.Ending != Ending.Reset && TryWait(stop.Id) is { } count)
        {
            _waits.Add(new Wait(stop.Position, stop.Id, count, IsCertain: true));
        }
        else if (_requests.Count(request => request.Id == stop.Id) is > 0 and var begun)
        {
            _waits.Add(new Wait(stop.Position, stop.Id, begun, IsCertain: false));
        }
    }

    /// <summary>
    /// How many END_REQUESTs of the id to wait for; null where it is not certain that they will come.
    /// </summary>
    private int? TryWait(int id)
    {
        var ofId = _requests.FindAll(request => request.Id == id);
        if (!IsAlive || !IsBetweenRecords || ofId.Count == 0 || ofId[^1].Stage < Stage.Complete
            || ofId.Exists(request => !request.IsCertain))
        {
            return null;
        }

        ofId.ForEach(request =>
        {
            request.IsConfirmed = true;
            request.Stage = Stage.Ended;
        });
        _open.Remove(id);
        return ofId.Count;
    }

    /// <summary>The peer has sent its last byte. A header without its content may have done something already.</summary>
    private void Finish()
    {
        if (IsAlive && _pending.Length >= HeaderSize)
        {
            var header = Header.Read(_pending);
            OnRecord(header, _pending.AsSpan(HeaderSize, Math.Min(header.Length, _pending.Length - HeaderSize)));
            if (_open.TryGetValue(header.Id, out var request) && request.Stage < Stage.Complete)
            {
                request.IsCertain = false;
            }

            Doubt();
        }

        foreach (var request in _requests.Where(request => request.Stage < Stage.Complete))
        {
            request.IsCertain = false;
        }
    }

    private void OnRecord(Header header, ReadOnlySpan<byte> content)
    {
        if (header.Id == 0)
        {
            OnManagement(header.Type);
            return;
        }

        switch (header.Type)
        {
            case 1:
                OnBegin(header, content);
                break;
            case 2:
                OnAbort(header.Id);
                break;
            case 4:
                OnParams(header, content);
                break;
            case 5:
                OnStdin(header, content);
                break;
            case 3 or 6 or 7 or 8 or 10:
                break;
            case 9 or 11:
                MostManagement++;
                break;
            default:
                CountManagement();
                break;
        }
    }

    private void OnManagement(int type)
    {
        switch (type)
        {
            case 1 or 2 or 4 or 5 or 8:
                Drop();
                break;
            case 3 or 6 or 7 or 10 or 11:
                break;
            default:
                CountManagement();
                break;
        }
    }

    private void CountManagement()
    {
        MostManagement++;
        if (!IsUncertain)
        {
            LeastManagement++;
        }
    }

    private readonly record struct Header(int Type, int Id, int Length, int Padding)
    {
        public int Size => HeaderSize + Length + Padding;

        public static Header Read(ReadOnlySpan<byte> bytes) =>
            new(bytes[1], (bytes[2] << 8) | bytes[3], (bytes[4] << 8) | bytes[5], bytes[6]);
    }
}

/// <summary>Sending stops in front of the byte at the position until so many answers have come to the id.</summary>
/// <param name="IsCertain">They have to come.</param>
internal readonly record struct Wait(int Position, int Id, int Answers, bool IsCertain);
