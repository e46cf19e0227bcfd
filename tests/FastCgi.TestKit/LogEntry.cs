using Microsoft.Extensions.Logging;

namespace FastCgi.TestKit;

/// <summary>One log entry, formatted, with what it was formatted from.</summary>
public sealed record LogEntry(
    string Category,
    LogLevel Level,
    EventId EventId,
    string Message,
    Exception? Exception,
    IReadOnlyList<KeyValuePair<string, object?>> State)
{
    public override string ToString() => $"{Level} {Category}[{EventId.Id} {EventId.Name}] {Message} {Exception}";
}
