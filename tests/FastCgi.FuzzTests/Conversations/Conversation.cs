namespace FastCgi.FuzzTests.Conversations;

/// <summary>All that one peer does on one connection. The same seed makes the same one, byte for byte.</summary>
/// <param name="Key">Begins every target, so that the application knows whose request it sees.</param>
/// <param name="Scripts">The requests that the conversation was made of, before anything was mutated.</param>
public sealed record Conversation(
    int Seed, string Key, IReadOnlyList<Script> Scripts, IReadOnlyList<Item> Items, Ending Ending, bool IsMutated)
{
    /// <summary>The sizes of the sends depend on the seed too.</summary>
    public Random NewChunking() => new(Seed ^ 0x5EED);
}
