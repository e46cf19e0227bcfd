using System.Collections.Concurrent;
using System.Globalization;
using System.Text;

namespace FastCgi.FuzzTests.Conversations;

/// <summary>
/// All that one peer says on one connection. The same seed and odds make the same one, byte for byte, for both fuzzers.
/// </summary>
internal sealed class Conversation
{
    /// <summary>Begins every target, so that the application knows whose request it sees.</summary>
    public required ulong Key { get; init; }

    public required ulong Seed { get; init; }

    public required bool IsScgi { get; init; }

    public Ending Ending { get; set; }

    /// <summary>Something in it is wrong.</summary>
    public bool IsMutated { get; set; }

    /// <summary>It speaks another protocol, and is answered in that one.</summary>
    public bool IsForeign { get; set; }

    /// <summary>
    /// Nothing is wrong in it or with its server, so every answer is known. Else the model knows which ones are.
    /// </summary>
    public bool IsClean { get; private set; } = true;

    /// <summary>The requests that it was made of, before anything was mutated.</summary>
    public List<Script> Scripts { get; } = [];

    /// <summary>The bytes that its pieces are of.</summary>
    public ByteWriter Work { get; } = new();

    public List<Piece> Pieces { get; private init; } = [];

    /// <summary>What is sent, and where sending stops until an answer has come.</summary>
    public byte[] Bytes { get; private set; } = [];

    public List<Stop> Stops { get; } = [];

    public Script? Find(ReadOnlySpan<char> token)
    {
        foreach (var script in Scripts)
        {
            if (token.SequenceEqual(script.Token))
            {
                return script;
            }
        }

        return null;
    }

    /// <summary>A record that no piece has yet.</summary>
    public Piece NewRecord(int type, int id, ReadOnlySpan<byte> content, int padding = 0)
    {
        var start = Work.Length;
        Work.Record(type, id, content, padding);
        return new Piece(start, Work.Length - start, id);
    }

    /// <summary>Bytes that need not be a record.</summary>
    public Piece NewRaw(ReadOnlySpan<byte> bytes)
    {
        Work.Add(bytes);
        return new Piece(Work.Length - bytes.Length, bytes.Length);
    }

    /// <summary>Something will go wrong, so nobody knows what the application sees.</summary>
    public void Doubt() => IsClean = false;

    /// <summary>Its pieces are final: puts them behind each other.</summary>
    public Conversation Join()
    {
        var bytes = new byte[Pieces.Sum(static piece => piece.Length)];
        var length = 0;
        foreach (var piece in Pieces)
        {
            if (piece.IsStop)
            {
                Stops.Add(new Stop(length, piece.Id));
                continue;
            }

            Work.Slice(piece.Start, piece.Length).CopyTo(bytes.AsSpan(length));
            length += piece.Length;
        }

        Bytes = bytes;
        return this;
    }

    /// <summary>The same conversation without some of its pieces.</summary>
    public Conversation Without(int start, int count)
    {
        var smaller = new Conversation
        {
            Key = Key,
            Seed = Seed,
            IsScgi = IsScgi,
            Ending = Ending,
            IsMutated = true,
            IsForeign = IsForeign,
            Pieces = [.. Pieces.Take(start), .. Pieces.Skip(start + count)],
        };
        smaller.Doubt();
        smaller.Scripts.AddRange(Scripts);
        smaller.Work.Add(Work.Written);
        return smaller.Join();
    }

    public override string ToString() =>
        $"conversation {Seed} ({(IsMutated ? "mutated" : IsClean ? "clean" : "doubtful")}, {Ending}, "
        + $"{(IsScgi ? "SCGI" : "FastCGI")}) of {string.Join(", ", Scripts)}";
}

/// <summary>A piece of a conversation: mostly one record, or a stop where it has no bytes.</summary>
internal readonly record struct Piece(int Start, int Length, int Id = 0)
{
    public bool IsStop => Length == 0;
}

/// <summary>Sending stops in front of the byte until the requests of the id are answered.</summary>
internal readonly record struct Stop(int Position, int Id);

/// <summary>What a peer does after its last byte.</summary>
internal enum Ending
{
    /// <summary>Waits for every answer, then closes.</summary>
    Finish,

    /// <summary>Ends its sending half at once and reads to the end. On TCP that is the end of a peer.</summary>
    HalfClose,

    /// <summary>Closes at once.</summary>
    Close,

    /// <summary>Resets at once.</summary>
    Reset,

    /// <summary>Stays until the server closes. Over sockets, where a timeout takes its time, this is Finish.</summary>
    Stay,
}

/// <summary>The conversations that are under way, by the key that each target begins with.</summary>
internal sealed class Targets
{
    private readonly ConcurrentDictionary<ulong, Conversation> _byKey = new();

    public IEnumerable<Conversation> All => _byKey.Values;

    /// <summary>Where a smaller conversation has the same key, it takes the place of the former one.</summary>
    public void Add(Conversation conversation) => _byKey[conversation.Key] = conversation;

    public void Clear() => _byKey.Clear();

    /// <summary>As the peer sent it: what a mutation made of a target is nobody's.</summary>
    public Script? Find(string target) =>
        target.Length == 19
        && ulong.TryParse(target.AsSpan(1, 16), NumberStyles.HexNumber, CultureInfo.InvariantCulture, out var key)
        && _byKey.TryGetValue(key, out var conversation)
            ? conversation.Find(target.AsSpan(1))
            : null;
}

/// <summary>Prints a conversation as the code of a test.</summary>
internal static class CSharp
{
    public static string Of(Conversation conversation)
    {
        var code = new StringBuilder();
        code.Append(CultureInfo.InvariantCulture, $"// {conversation}");
        code.AppendLine().Append("new RecordBuilder()");
        foreach (var piece in conversation.Pieces)
        {
            code.AppendLine().Append("    ").Append(piece.IsStop
                ? $"/* wait for the answer to {piece.Id} */"
                : Of(conversation.Work.Slice(piece.Start, piece.Length).ToArray()));
        }

        return code.Append(';').ToString();
    }

    private static string Of(byte[] bytes)
    {
        if (bytes.Length < 8 || bytes[0] != 1 || bytes[7] != 0
            || bytes.Length != 8 + ((bytes[4] << 8) | bytes[5]) + bytes[6])
        {
            return $".Raw({Literal(bytes)})";
        }

        var (type, id, content) = (bytes[1], (bytes[2] << 8) | bytes[3], bytes[8..^bytes[6]]);
        return type == 1 && bytes[6] == 0 && content is [0, var role, var flags, 0, 0, 0, 0, 0]
            ? $".Begin({id}, role: {role}, keepConnection: {(flags == 1 ? "true" : "false")})"
            : $".Record({type}, {id}, {Literal(content)}, padding: {bytes[6]})";
    }

    private static string Literal(byte[] bytes)
    {
        if (bytes.Length == 0)
        {
            return "[]";
        }

        return bytes.All(value => value is >= 32 and < 127 and not (byte)'"' and not (byte)'\\')
            ? $"\"{Encoding.ASCII.GetString(bytes)}\"u8"
            : bytes.Length > 2000
                ? $"new byte[{bytes.Length}] /* as the seed makes it */"
                : $"Convert.FromHexString(\"{Convert.ToHexString(bytes)}\")";
    }
}
