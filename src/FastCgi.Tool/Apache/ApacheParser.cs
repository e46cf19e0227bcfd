namespace FastCgi.Tool.Apache;

/// <summary>
/// Reads a configuration of Apache httpd, following includes, into the same tree as nginx's files. Names are in lower
/// case; a section is a block.
/// </summary>
internal sealed class ApacheParser
{
    /// <summary>The folders of Apache's files in Debian and Red Hat.</summary>
    private static readonly string[] s_roots = ["/etc/apache2", "/etc/httpd"];

    /// <summary>Directives that are often mistyped. Other modules have more.</summary>
    private static readonly string[] s_known =
    [
        "accessfilename", "alias", "allowencodedslashes", "allowoverride", "authname", "authtype", "authuserfile",
        "cgipassauth", "customlog", "define", "directoryindex", "documentroot", "errordocument", "errorlog", "header",
        "include", "includeoptional", "keepalive", "limitrequestbody", "listen", "loadmodule", "loglevel", "options",
        "passenv", "proxyerroroverride", "proxyfcgibackendtype", "proxyfcgisetenvif", "proxypass", "proxypassmatch",
        "proxypassreverse", "proxypreservehost", "proxyrequests", "proxyset", "proxytimeout", "redirect",
        "redirectmatch", "requestheader", "require", "rewritecond", "rewriteengine", "rewriterule", "serveradmin",
        "serveralias", "servername", "serverroot", "setenv", "setenvif", "setenvifnocase", "sethandler",
        "sslcertificatefile", "sslcertificatekeyfile", "sslengine", "timeout", "unsetenv",
    ];

    private readonly List<NginxError> _errors = [];
    private readonly List<NginxPlace> _unread = [];
    private readonly NginxFiles _files;
    private int _count;

    private ApacheParser(string path) => _files = NginxFiles.OnDisk(path, s_roots);

    public static NginxConfiguration Parse(string path)
    {
        var parser = new ApacheParser(path);
        List<NginxDirective> directives = [];
        bool isReadable = true;
        try
        {
            parser.ParseFile(parser._files.Main, directives);
        }
        catch (NginxSyntaxException exception)
        {
            // Apache checks the sections first.
            parser._errors.Insert(0, exception.Error);
            isReadable = false;
        }

        var root = new NginxDirective("", [], new NginxPlace(parser._files.Main, 1), directives);
        if (isReadable)
        {
            parser._errors.AddRange(root.WithDescendants().Skip(1).Select(Misspelled).OfType<NginxError>());
        }

        return new NginxConfiguration(root, parser._errors, parser._unread, isReadable);
    }

    private static NginxError? Misspelled(NginxDirective directive) =>
        directive.Children is null && !s_known.Contains(directive.Name)
        && Spelling.Nearest(directive.Name, s_known, most: 1) is { } near && directive.Name.Length > 5
            ? new NginxError(
                directive.Place,
                $"Apache has no directive '{directive.Name}'; it does not start",
                $"Did you mean {near}?") { Named = directive.Place with { Line = directive.EndLine } }
            : null;

    private void ParseFile(string path, List<NginxDirective> directives)
    {
        var open = new Stack<(NginxDirective Section, List<NginxDirective> Children)>();
        List<NginxDirective> current = directives;
        foreach ((string text, int first, int last) in Lines(_files.Read(path).Text))
        {
            var place = new NginxPlace(path, first);
            if (text.StartsWith("</", StringComparison.Ordinal))
            {
                string end = Words(text).First();
                if (!end.EndsWith('>'))
                {
                    throw Error(place, $"'{text}' has no > at its end");
                }

                string name = end[2..^1];
                if (!open.TryPop(out var closed))
                {
                    throw Error(place, $"</{name}> closes nothing");
                }

                if (!closed.Section.Name.Equals(name, StringComparison.OrdinalIgnoreCase))
                {
                    throw Error(
                        place,
                        $"</{name}> stands where </{closed.Section.Name}> is missing " +
                        $"({closed.Section.Place.From(place)})");
                }

                current = open.Count > 0 ? open.Peek().Children : directives;
                continue;
            }

            bool isSection = text.StartsWith('<');
            int bracket = text.LastIndexOf('>');
            if (isSection && bracket < 0)
            {
                _errors.Add(Error(place, $"'{text}' has no > at its end").Error);
            }

            string[] words = [.. Words(!isSection ? text : bracket < 0 ? text[1..] : text[1..bracket])];
            if (words.Length == 0)
            {
                throw Error(place, $"'{text}' is no directive");
            }

            List<NginxDirective>? children = isSection ? [] : null;
            var directive = new NginxDirective(words[0].ToLowerInvariant(), words[1..], place, children)
            {
                EndLine = last,
                Order = _count++,
            };
            if (directive.Name is "include" or "includeoptional")
            {
                Include(current, directive);
                continue;
            }

            current.Add(directive);
            if (children is not null)
            {
                open.Push((directive, children));
                current = children;
            }
        }

        if (open.TryPeek(out var unclosed))
        {
            throw Error(unclosed.Section.Place, $"<{unclosed.Section.Name}> has no </{unclosed.Section.Name}>");
        }
    }

    private static NginxSyntaxException Error(NginxPlace place, string message) =>
        new(new NginxError(place, $"{message}; Apache does not start"));

    /// <summary>Lines with their numbers. A backslash at the end continues a line.</summary>
    private static IEnumerable<(string Text, int First, int Last)> Lines(string text)
    {
        string[] lines = text.ReplaceLineEndings("\n").Split('\n');
        for (int i = 0; i < lines.Length; i++)
        {
            int first = i;
            var line = new StringBuilder(lines[i]);
            while (line.Length > 0 && line[^1] == '\\' && i + 1 < lines.Length)
            {
                line.Length--;
                line.Append(lines[++i]);
            }

            string trimmed = line.ToString().Trim(' ', '\t', '\r');
            if (trimmed.Length > 0 && trimmed[0] != '#')
            {
                yield return (trimmed, first + 1, i + 1);
            }
        }
    }

    /// <summary>Words, quoted or not. A quote without an end extends to the end of the line.</summary>
    private static IEnumerable<string> Words(string line)
    {
        for (int i = 0; i < line.Length;)
        {
            if (line[i] is ' ' or '\t')
            {
                i++;
                continue;
            }

            char quote = line[i] is '"' or '\'' ? line[i] : '\0';
            var word = new StringBuilder();
            for (i += quote == '\0' ? 0 : 1; i < line.Length; i++)
            {
                if (quote == '\0' ? line[i] is ' ' or '\t' : line[i] == quote)
                {
                    break;
                }

                if (quote != '\0' && line[i] == '\\' && i + 1 < line.Length
                    && (line[i + 1] == quote || line[i + 1] == '\\'))
                {
                    i++;
                }

                word.Append(line[i]);
            }

            i++;
            yield return word.ToString();
        }
    }

    private void Include(List<NginxDirective> directives, NginxDirective include)
    {
        string pattern = include.Argument(0);
        // Only Apache knows ${APACHE_CONFDIR} and the like.
        bool isKnown = !pattern.Contains("${", StringComparison.Ordinal);
        IReadOnlyList<string> found = isKnown ? _files.Find(pattern) : [];
        if (found.Count == 0 && (!isKnown || include.Name == "include"))
        {
            directives.Add(include);
            if (isKnown && !NginxFiles.IsGlob(pattern))
            {
                _errors.Add(new NginxError(
                    include.Place,
                    $"there is no file '{pattern}' to include; Apache does not start",
                    "Correct the path.")
                {
                    Named = include.Place with { Line = include.EndLine },
                });
            }
        }

        foreach (string path in found.Where(static path => !Directory.Exists(path)))
        {
            try
            {
                ParseFile(path, directives);
            }
            catch (UnauthorizedAccessException)
            {
                _unread.Add(new NginxPlace(path, 1));
                directives.Add(include);
            }
        }
    }
}
