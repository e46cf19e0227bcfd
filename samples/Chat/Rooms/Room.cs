namespace ChatSample.Rooms;

/// <summary>Who is there, and what was said last. Safe for use by many connections at once.</summary>
public sealed class Room(string name, TimeProvider time)
{
    /// <summary>Older ones are forgotten.</summary>
    public const int KeptMessages = 50;

    private readonly Lock _lock = new();
    private readonly Dictionary<string, string> _people = [];
    private readonly Queue<ChatMessage> _messages = new(KeptMessages);
    private long _lastId;

    public string Name => name;

    /// <summary>Tells this room from one of the same name that was forgotten.</summary>
    public Guid Memory { get; } = Guid.NewGuid();

    /// <summary>The names of those who are there, in order.</summary>
    public IReadOnlyList<string> People
    {
        get
        {
            lock (_lock)
            {
                return [.. _people.Values.Order(StringComparer.OrdinalIgnoreCase)];
            }
        }
    }

    public int Count
    {
        get
        {
            lock (_lock)
            {
                return _people.Count;
            }
        }
    }

    public IReadOnlyList<ChatMessage> Messages
    {
        get
        {
            lock (_lock)
            {
                return [.. _messages];
            }
        }
    }

    /// <summary>Keeps what was said.</summary>
    public ChatMessage Add(string speaker, string text)
    {
        lock (_lock)
        {
            if (_messages.Count == KeptMessages)
            {
                _messages.Dequeue();
            }

            var message = new ChatMessage(++_lastId, speaker, text, time.GetUtcNow());
            _messages.Enqueue(message);
            return message;
        }
    }

    /// <returns>The name under which the others see them: nobody is to be taken for another.</returns>
    internal string Enter(string connectionId, string wanted)
    {
        lock (_lock)
        {
            var given = wanted;
            for (var number = 2; _people.Values.Contains(given, StringComparer.OrdinalIgnoreCase); number++)
            {
                given = $"{wanted} ({number})";
            }

            _people.Add(connectionId, given);
            return given;
        }
    }

    internal void Leave(string connectionId)
    {
        lock (_lock)
        {
            _people.Remove(connectionId);
        }
    }
}
