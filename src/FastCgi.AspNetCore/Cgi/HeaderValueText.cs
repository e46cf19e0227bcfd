using Microsoft.Extensions.Primitives;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>The value of a header.</summary>
internal static class HeaderValueText
{
    /// <summary>The value without the blanks around it (RFC 9110, section 5.5).</summary>
    public static (int Offset, int Length) Trim(byte[] buffer, int offset, int length)
    {
        while (length > 0 && IsBlank(buffer[offset]))
        {
            offset++;
            length--;
        }

        while (length > 0 && IsBlank(buffer[offset + length - 1]))
        {
            length--;
        }

        return (offset, length);
    }

    /// <summary>One value for the lines of a header: cookies are joined in their own way (RFC 6265bis).</summary>
    public static string JoinLines(KnownParam param, StringValues lines) =>
        string.Join(param == KnownParam.HttpCookie ? "; " : ", ", (string?[])lines!);

    private static bool IsBlank(byte value) => value is (byte)' ' or (byte)'\t';
}
