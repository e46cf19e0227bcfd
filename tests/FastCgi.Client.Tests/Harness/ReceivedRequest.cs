namespace FastCgi.Client.Tests.Harness;

/// <summary>A request as its records say it.</summary>
internal sealed class ReceivedRequest
{
    private readonly List<byte> _parameters = [];
    private readonly List<byte> _body = [];

    public int Id { get; private set; }

    public BeginRequestBody Begin { get; private set; }

    public bool HasParameters { get; private set; }

    public bool IsWhole { get; private set; }

    public byte[] Body => [.. _body];

    public string this[string name] => Parameters[name];

    /// <summary>By name; a name that comes twice fails.</summary>
    public IReadOnlyDictionary<string, string> Parameters
    {
        get
        {
            byte[] content = [.. _parameters];
            var reader = new NameValuePairReader(content);
            var parameters = new Dictionary<string, string>();
            while (reader.TryRead(out NameValuePair pair))
            {
                parameters.Add(
                    Encoding.UTF8.GetString(pair.NameIn(content)), Encoding.UTF8.GetString(pair.ValueIn(content)));
            }

            Assert.False(reader.IsTruncated);
            return parameters;
        }
    }

    public void Take(WireRecord record)
    {
        switch ((RecordType)record.Type)
        {
            case RecordType.BeginRequest:
                Id = record.RequestId;
                Assert.True(BeginRequestBody.TryRead(record.Content, out BeginRequestBody begin));
                Begin = begin;
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
