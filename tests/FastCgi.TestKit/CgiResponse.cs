using System.Globalization;
using System.Text;

namespace FastCgi.TestKit;

/// <summary>The answer to one request, put together from its records.</summary>
public sealed class CgiResponse
{
    private CgiResponse(IReadOnlyList<WireRecord> records)
    {
        Records = records;
        Stdout = Join(WireRecord.Stdout);
        Stderr = Join(WireRecord.Stderr);
        if (records.LastOrDefault(record => record.Type == WireRecord.EndRequest) is { Content.Length: 8 } end)
        {
            AppStatus = end.Content.Take(4).Aggregate(0u, (status, next) => (status << 8) | next);
            ProtocolStatus = end.Content[4];
        }

        ParseHead();
    }

    private CgiResponse(byte[] stdout)
    {
        Records = [];
        Stdout = stdout;
        Stderr = [];
        ParseHead();
    }

    /// <summary>From the Status line; 200 if there is a head without one; 0 if there is no head.</summary>
    public int StatusCode { get; private set; }

    /// <summary>What follows the status code, null if nothing does.</summary>
    public string? Reason { get; private set; }

    /// <summary>In the order they were sent, repeated ones included; without the Status line.</summary>
    public IReadOnlyList<(string Name, string Value)> Headers { get; private set; } = [];

    /// <summary>The head as it was sent, with the empty line at its end, in Latin-1.</summary>
    public string Head { get; private set; } = "";

    public byte[] Body { get; private set; } = [];

    public string BodyText => Encoding.UTF8.GetString(Body);

    /// <summary>All content of the stream: head and body.</summary>
    public byte[] Stdout { get; }

    public byte[] Stderr { get; }

    public string StderrText => Encoding.UTF8.GetString(Stderr);

    /// <summary>Null as long as no END_REQUEST came.</summary>
    public uint? AppStatus { get; }

    /// <summary>Null as long as no END_REQUEST came; 0 is REQUEST_COMPLETE.</summary>
    public int? ProtocolStatus { get; }

    /// <summary>An empty STDOUT record came.</summary>
    public bool IsStdoutEnded => Records.Any(r => r is { Type: WireRecord.Stdout, Content.Length: 0 });

    public IReadOnlyList<WireRecord> Records { get; }

    /// <summary>The values of a header joined with ", "; null if it was not sent.</summary>
    public string? Header(string name)
    {
        var values = Headers.Where(h => h.Name.Equals(name, StringComparison.OrdinalIgnoreCase)).Select(h => h.Value);
        return values.Any() ? string.Join(", ", values) : null;
    }

    /// <summary>An answer, or as much of one as came.</summary>
    public static CgiResponse From(IReadOnlyList<WireRecord> records) => new(records);

    /// <summary>An answer without records, or as much of one as came.</summary>
    public static CgiResponse From(byte[] bytes) => new(bytes);

    /// <summary>The status, the size of the body and the way it ended.</summary>
    public override string ToString() =>
        $"status {StatusCode} {Reason}, {Body.Length} bytes, "
        + (ProtocolStatus is { } status ? $"protocol status {status}" : "no END_REQUEST");

    private byte[] Join(int type) =>
        Bytes.Join(Records.Where(record => record.Type == type).Select(record => record.Content));

    private void ParseHead()
    {
        var end = Stdout.AsSpan().IndexOf("\r\n\r\n"u8);
        if (end < 0)
        {
            return;
        }

        Head = Encoding.Latin1.GetString(Stdout, 0, end + 4);
        Body = Stdout[(end + 4)..];
        StatusCode = 200;
        List<(string, string)> headers = [];
        foreach (var line in Head[..end].Split("\r\n"))
        {
            var colon = line.IndexOf(':', StringComparison.Ordinal);
            if (colon < 0)
            {
                throw new FormatException($"The response head has a line without a colon: \"{line}\"");
            }

            var (name, value) = (line[..colon], line[(colon + 1)..].Trim(' '));
            if (name.Equals("Status", StringComparison.OrdinalIgnoreCase))
            {
                var parts = value.Split(' ', 2);
                StatusCode = int.Parse(parts[0], NumberStyles.None, CultureInfo.InvariantCulture);
                Reason = parts.Length > 1 ? parts[1] : null;
            }
            else
            {
                headers.Add((name, value));
            }
        }

        Headers = headers;
    }
}
