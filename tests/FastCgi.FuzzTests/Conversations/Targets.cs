using System.Collections.Concurrent;
using System.Globalization;

namespace FastCgi.FuzzTests.Conversations;

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
