namespace FastCgi.Tool.Nginx;

/// <summary>Reads a configuration, following includes.</summary>
internal sealed class NginxParser
{
    private const int DeepestInclude = 20;
    private const string Lua = "_by_lua_block";

    private readonly NginxFiles _files;
    private readonly List<NginxError> _errors = [];
    private readonly List<NginxPlace> _unread = [];
    private int _depth;
    private int _count;

    private NginxParser(NginxFiles files) => _files = files;

    public static NginxConfiguration Parse(NginxFiles files)
    {
        var parser = new NginxParser(files);
        List<NginxDirective> directives = [];
        bool isReadable = true;
        try
        {
            parser.ParseFile(files.Main, directives);
        }
        catch (NginxSyntaxException exception)
        {
            parser._errors.Add(exception.Error with { Order = parser._count });
            isReadable = false;
        }

        var root = new NginxDirective("", [], new NginxPlace(files.Main, 1), directives);
        if (!files.IsAccepted)
        {
            parser._errors.AddRange(NginxGrammar.Check(root, isReadable && parser._errors.Count == 0));
        }

        return new NginxConfiguration(
            root, [.. parser._errors.OrderBy(static error => error.Order)], parser._unread, isReadable);
    }

    private void ParseFile(string path, List<NginxDirective> directives)
    {
        (string text, string? complaint) = _files.Read(path);
        if (complaint is not null)
        {
            var error = new NginxError(new NginxPlace(path, 1), complaint, "Save it as UTF-8 without BOM.")
            {
                Order = _count,
            };
            if (text.Length == 0)
            {
                throw new NginxSyntaxException(error);
            }

            _errors.Add(error);
        }

        // A file of nginx -T begins after the line that names it, and so do its line numbers.
        ParseBlock(new NginxTokenizer(path, text), directives, opened: null);
    }

    private void ParseBlock(NginxTokenizer tokens, List<NginxDirective> directives, NginxPlace? opened)
    {
        while (tokens.Next() is { } first)
        {
            if (first is { IsMark: true, Text: "}" })
            {
                if (opened is null)
                {
                    throw Error(first.Place, "a } closes nothing; remove it, or open its block", tokens);
                }

                return;
            }

            if (first.IsMark)
            {
                throw Error(first.Place, $"a {first.Text} stands where a directive begins", tokens);
            }

            ParseDirective(tokens, directives, first);
        }

        if (opened is not null)
        {
            throw Error(opened, "the block has no closing }", tokens);
        }
    }

    private static NginxSyntaxException Error(NginxPlace place, string message, NginxTokenizer tokens) =>
        new(new NginxError(place, message) { Named = place with { Line = tokens.Line } });

    private void ParseDirective(NginxTokenizer tokens, List<NginxDirective> directives, NginxToken name)
    {
        int order = _count++;
        List<string> arguments = [];
        string mark;
        while (true)
        {
            NginxToken? token = tokens.Next();
            if (token is null or { IsMark: true, Text: "}" })
            {
                throw Error(name.Place, $"the directive {name.Text} has no ; at its end", tokens);
            }

            if (token.IsMark)
            {
                mark = token.Text;
                break;
            }

            arguments.Add(token.Text);
        }

        bool isLua = name.Text.EndsWith(Lua, StringComparison.Ordinal);
        List<NginxDirective>? children = mark == "{" ? [] : null;
        var directive = new NginxDirective(name.Text, arguments, name.Place, children)
        {
            EndLine = tokens.Line,
            Order = order,
            IsForeignCode = isLua,
        };
        if (children is null && name.Text == "include" && arguments.Count == 1)
        {
            Include(directives, directive);
            return;
        }

        directives.Add(directive);
        if (children is not null && isLua)
        {
            tokens.SkipLua(name.Place);
        }
        else if (children is not null)
        {
            ParseBlock(tokens, children, name.Place);
            directive.ClosingLine = tokens.Line;
        }
    }

    private void Include(List<NginxDirective> directives, NginxDirective include)
    {
        string pattern = include.Argument(0);
        IReadOnlyList<string> found = _files.Find(pattern);
        if (found.Count == 0 && !NginxFiles.IsGlob(pattern))
        {
            // Only the contents of this include are unknown.
            directives.Add(include);
            _errors.Add(new NginxError(
                include.Place,
                $"there is no file '{pattern}' to include; nginx does not start",
                $"Correct the path. It was looked for in {string.Join(", ", _files.PlacesOf(pattern))}.")
            {
                Named = include.Place with { Line = include.EndLine },
                Order = include.Order,
            });
            return;
        }

        if (_depth == DeepestInclude)
        {
            throw new NginxSyntaxException(new NginxError(
                include.Place, $"'{pattern}' includes itself, or files are included too deeply") { Named = null });
        }

        _depth++;
        foreach (string path in found)
        {
            if (Directory.Exists(path))
            {
                _errors.Add(new NginxError(
                    include.Place, $"'{path}' is a directory, which nginx cannot include", "Name files, as in *.conf.")
                {
                    Named = null,
                    Order = include.Order,
                });
                continue;
            }

            try
            {
                ParseFile(path, directives);
            }
            catch (UnauthorizedAccessException)
            {
                directives.Add(include);
                _unread.Add(new NginxPlace(path, 1));
            }
        }

        _depth--;
    }
}
