using System.Globalization;
using System.Text;
using FastCgi.FuzzTests.Conversations;

namespace FastCgi.FuzzTests.Execution;

/// <summary>Prints a conversation as the code of a test.</summary>
public static class CSharp
{
    public static string Of(Conversation conversation)
    {
        var code = new StringBuilder();
        code.Append(CultureInfo.InvariantCulture, $"// seed {conversation.Seed}, then {conversation.Ending}");
        code.AppendLine().Append("new RecordBuilder()");
        foreach (var item in conversation.Items)
        {
            code.AppendLine().Append("    ").Append(Of(item));
        }

        return code.Append(';').ToString();
    }

    private static string Of(Item item) => item switch
    {
        WaitItem wait => $"/* wait for END_REQUEST of {wait.Id} */",
        RecordItem { Type: 1, Version: 1, Reserved: 0, LengthError: 0, Padding: 0, Content: [0, var role, var flags, 0, 0, 0, 0, 0] }
            begin => $".Begin({begin.Id}, role: {role}, keepConnection: {(flags == 1 ? "true" : "false")})",
        RecordItem { LengthError: 0 } record => ".Record("
            + $"{record.Type}, {record.Id}, {Of(record.Content)}, padding: {record.Padding}, "
            + $"version: {record.Version}, reserved: {record.Reserved})",
        RecordItem record => $".Raw({Of(record.ToBytes())})",
        RawItem raw => $".Raw({Of(raw.Bytes)})",
        _ => "",
    };

    private static string Of(byte[] bytes)
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
