using System.Text;

namespace FastCgi.TestKit;

/// <summary>A record as it came from the server, whatever it holds.</summary>
public sealed record WireRecord(int Version, int Type, int RequestId, byte[] Content, int PaddingLength)
{
    public const int EndRequest = 3;
    public const int Stdout = 6;
    public const int Stderr = 7;
    public const int GetValuesResult = 10;
    public const int UnknownType = 11;

    /// <summary>Eight zero bytes: what the server sends to tear a response that it cannot end.</summary>
    public bool IsTear => Version == 0 && Type == 0 && RequestId == 0 && Content.Length == 0 && PaddingLength == 0;

    /// <summary>For the messages of failing tests.</summary>
    public override string ToString()
    {
        var name = Type switch
        {
            EndRequest => "END_REQUEST",
            Stdout => "STDOUT",
            Stderr => "STDERR",
            GetValuesResult => "GET_VALUES_RESULT",
            UnknownType => "UNKNOWN_TYPE",
            _ => $"type {Type}",
        };
        var shown = Encoding.Latin1.GetString(Content.AsSpan(0, Math.Min(Content.Length, 60)));
        return $"[version {Version}, {name}, id {RequestId}, {Content.Length} bytes \"{shown}\"]";
    }
}
