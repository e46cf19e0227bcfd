namespace FastCgi.Client.Tests.Harness;

/// <summary>A request as its records say it.</summary>
internal sealed class ReceivedRequest
{
    private readonly List<byte> _parameters = [];
    private readonly List<byte> _body = [];

    public int Id { get; private set; }

    public int Role { get; private set; }

    public bool KeepsConnection { get; private set; }

    public bool HasParameters { get; private set; }

    public bool IsWhole { get; private set; }

    public byte[] Body => [.. _body];

    public string this[string name] => Parameters[name];

    /// <summary>By name; a name that comes twice fails.</summary>
    public IReadOnlyDictionary<string, string> Parameters => RecordCutter.Pairs([.. _parameters])
        .ToDictionary(static pair => pair.Name, static pair => pair.Value);

    /// <summary>The parameters of header fields, by name.</summary>
    public IEnumerable<KeyValuePair<string, string>> Headers => Parameters
        .Where(static pair => pair.Key.StartsWith("HTTP_", StringComparison.Ordinal))
        .OrderBy(static pair => pair.Key, StringComparer.Ordinal);

    public void Take(WireRecord record)
    {
        switch ((RecordType)record.Type)
        {
            case RecordType.BeginRequest:
                Id = record.RequestId;
                Assert.Equal([0, 0, 0, 0, 0], record.Content[3..]);
                Role = (record.Content[0] << 8) | record.Content[1];
                KeepsConnection = record.Content[2] switch
                {
                    0 => false,
                    1 => true,
                    var other => throw new InvalidDataException($"The flags are {other}."),
                };
                break;
            case RecordType.Params:
                _parameters.AddRange(record.Content);
                HasParameters = record.Content.Length == 0;
                break;
            case RecordType.Stdin:
                _body.AddRange(record.Content);
                IsWhole = record.Content.Length == 0;
                break;
            default:
                Assert.Fail($"A record that has no place in a request: {record}");
                break;
        }
    }
}
