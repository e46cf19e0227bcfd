namespace FastCgi.Tool.Nginx;

/// <summary>Reads a configuration, includes followed.</summary>
internal sealed class NginxParser
{
    private const int DeepestInclude = 20;
    private const string Lua = "_by_lua_block";

    private readonly NginxFiles _files;
    private int _depth;

    private NginxParser(NginxFiles files) => _files = files;

    /// <returns>A block without a name, whose children are those of the main file.</returns>
    /// <exception cref="NginxSyntaxException">nginx would refuse to read it.</exception>
    public static NginxDirective Parse(NginxFiles files) =>
        new("", [], new NginxPlace(files.Main, 1), new NginxParser(files).ParseFile(files.Main));

    private List<NginxDirective> ParseFile(string path)
    {
        string text = _files.Read(path);
        // A file of nginx -T begins behind the line that names it; so do its line numbers.
        var tokens = new NginxTokenizer(path, text);
        List<NginxDirective> directives = [];
        ParseBlock(tokens, directives, opened: null);
        return directives;
    }

    private void ParseBlock(NginxTokenizer tokens, List<NginxDirective> directives, NginxPlace? opened)
    {
        while (tokens.Next() is { } first)
        {
            if (first is { IsMark: true, Text: "}" })
            {
                if (opened is null)
                {
                    throw new NginxSyntaxException(first.Place, "a } closes nothing; remove it, or open its block");
                }

                return;
            }

            if (first.IsMark)
            {
                throw new NginxSyntaxException(first.Place, $"a {first.Text} stands where a directive begins");
            }

            ParseDirective(tokens, directives, first);
        }

        if (opened is not null)
        {
            throw new NginxSyntaxException(opened, "the block has no closing }");
        }
    }

    private void ParseDirective(NginxTokenizer tokens, List<NginxDirective> directives, NginxToken name)
    {
        List<string> arguments = [];
        while (true)
        {
            NginxToken token = tokens.Next()
                ?? throw new NginxSyntaxException(name.Place, $"the directive {name.Text} has no ; at its end");
            if (!token.IsMark)
            {
                arguments.Add(token.Text);
                continue;
            }

            switch (token.Text)
            {
                case "}":
                    throw new NginxSyntaxException(name.Place, $"the directive {name.Text} has no ; at its end");
                case ";" when name.Text == "include":
                    Include(directives, arguments, name.Place);
                    return;
                case ";":
                    directives.Add(new NginxDirective(name.Text, arguments, name.Place, null));
                    return;
            }

            List<NginxDirective> children = [];
            if (name.Text.EndsWith(Lua, StringComparison.Ordinal))
            {
                tokens.SkipBlock(token.Place);
            }
            else
            {
                ParseBlock(tokens, children, token.Place);
            }

            directives.Add(new NginxDirective(name.Text, arguments, name.Place, children));
            return;
        }
    }

    private void Include(List<NginxDirective> directives, List<string> arguments, NginxPlace place)
    {
        if (arguments is not [var pattern])
        {
            throw new NginxSyntaxException(place, "include takes one file or pattern");
        }

        IReadOnlyList<string> found = _files.Find(pattern);
        if (found.Count == 0 && !NginxFiles.IsGlob(pattern))
        {
            throw new NginxSyntaxException(
                place, $"there is no file '{pattern}' to include; nginx does not start. Correct the path");
        }

        if (_depth == DeepestInclude)
        {
            throw new NginxSyntaxException(place, $"'{pattern}' includes itself, or files are included too deeply");
        }

        _depth++;
        foreach (string path in found)
        {
            directives.AddRange(ParseFile(path));
        }

        _depth--;
    }
}
