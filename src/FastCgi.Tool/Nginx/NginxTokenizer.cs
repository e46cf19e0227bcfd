using System.Text.RegularExpressions;

namespace FastCgi.Tool.Nginx;

/// <summary>
/// Cuts a file into words and marks as nginx does: a backslash includes the next character, <c>${</c> opens no block,
/// and a word or a comment must fit into nginx's buffer.
/// </summary>
internal sealed partial class NginxTokenizer(string file, string text)
{
    /// <summary>NGX_CONF_BUFFER, in bytes.</summary>
    private const int Buffer = 4096;

    private int _position;

    /// <summary>The current line, which nginx names in errors.</summary>
    public int Line { get; private set; } = 1;

    /// <summary>Null at the end of the file.</summary>
    public NginxToken? Next()
    {
        SkipSpace();
        if (_position == text.Length)
        {
            return null;
        }

        var place = new NginxPlace(file, Line);
        char c = text[_position];
        switch (c)
        {
            case ';' or '{' or '}':
                _position++;
                return new NginxToken(c.ToString(), IsMark: true, place);
            case '"' or '\'':
                _position++;
                return ReadQuoted(c, place);
            default:
                return ReadWord(place);
        }
    }

    /// <summary>
    /// Skips a block of Lua after its opening brace. Braces in its strings and comments do not count.
    /// </summary>
    public void SkipLua(NginxPlace opened)
    {
        int innermost = Line;
        for (int depth = 1; depth > 0;)
        {
            Match match = LuaToken().Match(text, _position);
            string token = match.Value;
            int end = match.Index + match.Length;
            if (match.Success && LongBracket().Match(token) is { Success: true } bracket)
            {
                string closing = bracket.Value.Replace('[', ']');
                int close = text.IndexOf(closing, end, StringComparison.Ordinal);
                if (close < 0)
                {
                    AdvanceTo(match.Index);
                    throw Error(
                        new NginxPlace(file, Line),
                        $"the long bracket {bracket.Value} in Lua has no closing {closing}");
                }

                end = close + closing.Length;
            }

            if (!match.Success)
            {
                throw Error(opened, "the block of Lua has no closing }", innermost);
            }

            AdvanceTo(end);
            depth += token switch { "{" => 1, "}" => -1, _ => 0 };
            innermost = token == "{" ? Line : innermost;
        }
    }

    private static bool IsSpace(char c) => c is ' ' or '\t' or '\r' or '\n';

    private static NginxSyntaxException Error(NginxPlace place, string message, int? line = null) =>
        new(new NginxError(place, message) { Named = place with { Line = line ?? place.Line } });

    private void SkipSpace()
    {
        while (_position < text.Length)
        {
            if (text[_position] == '#')
            {
                int end = text.IndexOf('\n', _position);
                CheckLength(_position, end < 0 ? text.Length : end, new NginxPlace(file, Line), quote: null);
                _position = end < 0 ? text.Length : end;
            }
            else if (IsSpace(text[_position]))
            {
                AdvanceTo(_position + 1);
            }
            else
            {
                return;
            }
        }
    }

    private NginxToken ReadQuoted(char quote, NginxPlace place)
    {
        int begin = _position;
        int end = begin;
        while (end < text.Length && text[end] != quote)
        {
            end += text[end] == '\\' ? 2 : 1;
        }

        CheckLength(begin, Math.Min(end, text.Length), place, quote);
        if (end >= text.Length)
        {
            AdvanceTo(text.Length);
            throw Error(place, $"the text that begins with {quote} has no end", Line);
        }

        AdvanceTo(end + 1);
        if (_position < text.Length && text[_position] == ')')
        {
            // The bracket of an if is separate from the text before it.
            _position++;
        }
        else if (_position < text.Length && !IsSpace(text[_position]) && text[_position] is not (';' or '{'))
        {
            throw Error(
                place,
                $"a space or ; is missing behind {quote}{Resolve(text.AsSpan(begin, end - begin))}{quote}",
                Line);
        }

        return new NginxToken(Resolve(text.AsSpan(begin, end - begin)), IsMark: false, place);
    }

    private NginxToken ReadWord(NginxPlace place)
    {
        int begin = _position;
        int end = begin;
        bool isVariable = false;
        while (end < text.Length)
        {
            char c = text[end];
            if (c == '{' && isVariable)
            {
                end++;
                continue;
            }

            if (IsSpace(c) || c is ';' or '{')
            {
                break;
            }

            isVariable = c == '$';
            end += c == '\\' ? 2 : 1;
        }

        CheckLength(begin, Math.Min(end, text.Length), place, quote: null);
        if (end >= text.Length)
        {
            AdvanceTo(text.Length);
            throw Error(place, $"the file ends in '{Shorten(text[begin..])}', which has no ; behind it", Line);
        }

        AdvanceTo(end);
        return new NginxToken(Resolve(text.AsSpan(begin, end - begin)), IsMark: false, place);
    }

    /// <summary>Throws if a text exceeds nginx's buffer. A shorter one may extend to the end of the file.</summary>
    private void CheckLength(int begin, int end, NginxPlace place, char? quote)
    {
        if ((end - begin) * 3 >= Buffer && Encoding.UTF8.GetByteCount(text.AsSpan(begin, end - begin)) >= Buffer)
        {
            throw Error(place, quote is null
                ? $"'{Shorten(text[begin..end])}' is longer than the {Buffer - 1} bytes that nginx reads in one piece"
                : $"the text that begins with {quote} has no end within {Buffer - 1} bytes");
        }
    }

    private static string Shorten(string word) => word.Length > 40 ? $"{word[..40]}…" : word;

    /// <summary>The word without its backslashes. A variable in braces is written without them if it can be.</summary>
    private static string Resolve(ReadOnlySpan<char> word)
    {
        if (word.Contains("${", StringComparison.Ordinal))
        {
            word = NeedlessBraces().Replace(word.ToString(), "$$$1");
        }

        if (!word.Contains('\\'))
        {
            return word.ToString();
        }

        var resolved = new StringBuilder();
        for (int i = 0; i < word.Length; i++)
        {
            (char c, int length) = word[i] == '\\' && i + 1 < word.Length
                ? word[i + 1] switch
                {
                    't' => ('\t', 2),
                    'r' => ('\r', 2),
                    'n' => ('\n', 2),
                    '"' or '\'' or '\\' => (word[i + 1], 2),
                    _ => ('\\', 1),
                }
                : (word[i], 1);
            resolved.Append(c);
            i += length - 1;
        }

        return resolved.ToString();
    }

    private void AdvanceTo(int position)
    {
        Line += text.AsSpan(_position, position - _position).Count('\n');
        _position = position;
    }

    /// <summary>The tokens with which the Lua module finds the end of a block.</summary>
    [GeneratedRegex("""\{|\}|\[=*\[|--\[=*\[|\]=*\]|--[^\n]*|"(?:\\[^\n]|[^"\n\\])*"|'(?:\\[^\n]|[^'\n\\])*'""")]
    private static partial Regex LuaToken();

    [GeneratedRegex(@"\$\{([A-Za-z_]\w*)\}(?!\w)")]
    private static partial Regex NeedlessBraces();

    [GeneratedRegex(@"(?<=^|^--)\[=*\[$")]
    private static partial Regex LongBracket();
}
