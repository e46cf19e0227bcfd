using System.Text;

namespace FastCgi.Tool.Nginx;

/// <summary>Cuts a file into words and marks by nginx's rules: quotes, backslashes, comments, <c>${name}</c>.</summary>
internal sealed class NginxTokenizer(string file, string text)
{
    private int _position;
    private int _line = 1;

    /// <summary>Null at the end of the file.</summary>
    public NginxToken? Next()
    {
        SkipSpace();
        if (_position == text.Length)
        {
            return null;
        }

        var place = new NginxPlace(file, _line);
        char c = text[_position];
        switch (c)
        {
            case ';' or '{' or '}':
                _position++;
                return new NginxToken(c.ToString(), IsMark: true, place);
            case '"' or '\'':
                return ReadQuoted(c, place);
            default:
                return ReadWord(place);
        }
    }

    /// <summary>The text up to the brace that closes the block which has just been opened.</summary>
    public void SkipBlock(NginxPlace opened)
    {
        for (int depth = 1; depth > 0; Advance())
        {
            if (_position == text.Length)
            {
                throw new NginxSyntaxException(opened, "the block has no closing }");
            }

            depth += text[_position] switch { '{' => 1, '}' => -1, _ => 0 };
        }
    }

    private void SkipSpace()
    {
        while (_position < text.Length)
        {
            if (text[_position] == '#')
            {
                int end = text.IndexOf('\n', _position);
                _position = end < 0 ? text.Length : end;
            }
            else if (char.IsWhiteSpace(text[_position]))
            {
                Advance();
            }
            else
            {
                return;
            }
        }
    }

    private NginxToken ReadQuoted(char quote, NginxPlace place)
    {
        var word = new StringBuilder();
        Advance();
        while (_position < text.Length && text[_position] != quote)
        {
            ReadCharacter(word);
        }

        if (_position == text.Length)
        {
            throw new NginxSyntaxException(place, $"the text that begins with {quote} has no end");
        }

        Advance();
        if (
            _position < text.Length
                && !char.IsWhiteSpace(text[_position]) && text[_position] is not (';' or '{' or ')'))
        {
            throw new NginxSyntaxException(place, $"a space or ; is missing behind \"{word}\"");
        }

        return new NginxToken(word.ToString(), IsMark: false, place);
    }

    private NginxToken ReadWord(NginxPlace place)
    {
        var word = new StringBuilder();
        while (_position < text.Length && !char.IsWhiteSpace(text[_position]) && text[_position] is not (';' or '{'))
        {
            if (text[_position] == '$' && _position + 1 < text.Length && text[_position + 1] == '{')
            {
                ReadVariable(word, place);
            }
            else
            {
                ReadCharacter(word);
            }
        }

        return new NginxToken(word.ToString(), IsMark: false, place);
    }

    private void ReadVariable(StringBuilder word, NginxPlace place)
    {
        int end = text.IndexOf('}', _position);
        if (end < 0)
        {
            throw new NginxSyntaxException(place, "the variable that begins with ${ has no }");
        }

        word.Append('$').Append(text, _position + 2, end - _position - 2);
        _position = end + 1;
    }

    private void ReadCharacter(StringBuilder word)
    {
        if (text[_position] == '\\' && _position + 1 < text.Length && text[_position + 1] is '"' or '\'' or '\\')
        {
            Advance();
        }

        word.Append(text[_position]);
        Advance();
    }

    private void Advance()
    {
        if (text[_position] == '\n')
        {
            _line++;
        }

        _position++;
    }
}
