using System.Buffers;
using Microsoft.Extensions.Primitives;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>Checks header names and response header values. A line break in one would start another header.</summary>
internal static class HeaderValidation
{
    private const string TokenCharacters =
        "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

    private const string Controls =
        "\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\u0008\u000A\u000B\u000C\u000D\u000E\u000F\u0010" +
        "\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001A\u001B\u001C\u001D\u001E\u001F\u007F";

    private static readonly SearchValues<char> _token = SearchValues.Create(TokenCharacters);

    // Horizontal tab, space and the visible characters (RFC 9110, section 5.5).
    private static readonly SearchValues<char> _valueCharacters = SearchValues.Create(
        "\t !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~");

    private static readonly SearchValues<char> _controls = SearchValues.Create(Controls);

    private static readonly SearchValues<byte> _controlBytes = SearchValues.Create(Encoding.ASCII.GetBytes(Controls));

    /// <summary>The characters of a token (RFC 9110, section 5.6.2), as bytes.</summary>
    public static SearchValues<byte> TokenBytes { get; } =
        SearchValues.Create(Encoding.ASCII.GetBytes(TokenCharacters));

    /// <summary>The index of the first character that is not allowed in a token; -1 for a token.</summary>
    public static int IndexOfNonToken(ReadOnlySpan<char> name) => name.IndexOfAnyExcept(_token);

    /// <exception cref="InvalidOperationException">The name is not a token.</exception>
    public static void RequireName(string name)
    {
        var invalid = IndexOfNonToken(name);
        if (invalid >= 0)
        {
            ThrowInvalidName(name, name[invalid]);
        }

        if (name.Length == 0)
        {
            throw new InvalidOperationException("A response header has an empty name.");
        }
    }

    /// <summary>Checks a value. Without an encoding for the header, it must be ASCII.</summary>
    /// <exception cref="InvalidOperationException">The value contains an invalid character.</exception>
    public static void RequireValue(string name, ReadOnlySpan<char> value, bool isAscii)
    {
        var invalid = isAscii ? value.IndexOfAnyExcept(_valueCharacters) : value.IndexOfAny(_controls);
        if (invalid >= 0)
        {
            ThrowInvalidValue(name, value[invalid], invalid);
        }
    }

    /// <summary>Checks an encoded value: UTF-16, for example, encodes plain letters with NULs.</summary>
    /// <exception cref="InvalidOperationException">The value contains a control byte.</exception>
    public static void RequireEncoded(string name, ReadOnlySpan<byte> value, Encoding encoding)
    {
        if (value.ContainsAny(_controlBytes))
        {
            throw new InvalidOperationException(
                $"The encoding '{encoding.WebName}', chosen for the response header '{name}', makes control " +
                "characters of its value. Choose one that extends ASCII.");
        }
    }

    public static InvalidOperationException InvalidContentLength(StringValues lines) => new(
        $"The Content-Length '{Printable(lines.ToString())}' is not one decimal number.");

    [DoesNotReturn]
    private static void ThrowInvalidName(string name, char character) =>
        throw new InvalidOperationException(
            $"The response header name '{Printable(name)}' holds {Describe(character)}, which no name may.");

    [DoesNotReturn]
    private static void ThrowInvalidValue(string name, char character, int index) =>
        throw new InvalidOperationException(
            $"The value of the response header '{name}' holds {Describe(character)} at index {index}. " +
            (character < 0x80
                ? "No header may hold a control character."
                : "Only ASCII is allowed, unless ResponseHeaderEncodingSelector names an encoding for it."));

    private static string Describe(char character) =>
        string.Create(CultureInfo.InvariantCulture, $"the character 0x{(int)character:X4}");

    private static string Printable(string name) =>
        string.Create(name.Length, name, static (text, source) =>
        {
            for (var i = 0; i < text.Length; i++)
            {
                text[i] = source[i] is >= ' ' and < (char)0x7F ? source[i] : '?';
            }
        });
}
