using FastCgi.FuzzTests.Conversations;

namespace FastCgi.FuzzTests.Model;

/// <summary>
/// What must become of a conversation, by the specification and the table of hard inputs and not by the server's code.
/// Where the outcome depends on who is faster (an id begun again before its answer was seen, a record behind the last
/// request of a connection), the model says so and expects less, never something wrong.
/// </summary>
public sealed partial class ConversationModel(IReadOnlyList<Script> scripts)
{
    private const int HeaderSize = 8;

    private readonly Dictionary<int, ModelRequest> _open = [];
    private readonly List<ModelRequest> _requests = [];
    private readonly Dictionary<string, int> _mayBeSeen = [];
    private byte[] _pending = [];

    /// <summary>All that were begun, in order. In doubt a BEGIN_REQUEST is counted as one.</summary>
    public IReadOnlyList<ModelRequest> Requests => _requests;

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

    /// <summary>An application that was answering with the body saw it break off.</summary>
    public bool MayTear { get; private set; }

    /// <summary>Params that nobody generated: the application may see something that the model knows nothing of.</summary>
    public bool HasStrays { get; private set; }

    /// <summary>How often the application may see a request with this token, at the most.</summary>
    public int MayBeSeen(string token) => _mayBeSeen.GetValueOrDefault(token);

    public void Feed(byte[] bytes)
    {
        _pending = [.. _pending, .. bytes];
        while (IsAlive && _pending.Length > 0)
        {
            if (_pending[0] != 1)
            {
                Drop();
            }
            else if (_pending.Length < HeaderSize)
            {
                return;
            }
            else
            {
                var header = Header.Read(_pending);
                if (_pending.Length < header.Size)
                {
                    return;
                }

                OnRecord(header, _pending.AsSpan(HeaderSize, header.Length));
                _pending = _pending[header.Size..];
            }
        }
    }

    /// <summary>
    /// How many END_REQUESTs of the id to wait for; null where it is not certain that they will come.
    /// </summary>
    public int? TryWait(int id)
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
    public void Finish()
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

        public static Header Read(byte[] bytes) =>
            new(bytes[1], (bytes[2] << 8) | bytes[3], (bytes[4] << 8) | bytes[5], bytes[6]);
    }
}
