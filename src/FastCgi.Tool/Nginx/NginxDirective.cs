namespace FastCgi.Tool.Nginx;

/// <summary>
/// One directive and, for a block, the directives in it. An include is replaced by the contents of its files, unless a
/// file is missing.
/// </summary>
internal sealed class NginxDirective(
    string name, IReadOnlyList<string> arguments, NginxPlace place, IReadOnlyList<NginxDirective>? children)
{
    private ILookup<string, NginxDirective>? _byName;
    private HashSet<string>? _passes;

    /// <summary>The first word.</summary>
    public string Name { get; } = name;

    /// <summary>The other words, without quotes.</summary>
    public IReadOnlyList<string> Arguments { get; } = arguments;

    /// <summary>The place where it begins.</summary>
    public NginxPlace Place { get; } = place;

    /// <summary>Null for a directive that ends with a semicolon.</summary>
    public IReadOnlyList<NginxDirective>? Children { get; } = children;

    /// <summary>The line of its semicolon or brace, which nginx names in errors.</summary>
    public int EndLine { get; init; }

    /// <summary>The line of the brace that ends its block.</summary>
    public int ClosingLine { get; set; }

    /// <summary>The number of directives that begin before it.</summary>
    public int Order { get; init; }

    /// <summary>True if its block is Lua or similar code, and was not read.</summary>
    public bool IsForeignCode { get; init; }

    public string Argument(int index) => index < Arguments.Count ? Arguments[index] : "";

    /// <summary>The names of its direct children.</summary>
    public IEnumerable<string> Names => ByName.Select(static group => group.Key);

    /// <summary>The names of directives in it, at any depth, that pass on requests: fastcgi_pass.</summary>
    public IReadOnlySet<string> Passes => _passes ??= [
        .. Names.Where(static name => name.EndsWith("_pass", StringComparison.Ordinal)),
        .. (Children ?? []).Where(static child => child.Children is not null)
            .SelectMany(static child => child.Passes),
    ];

    private ILookup<string, NginxDirective> ByName =>
        _byName ??= (Children ?? []).ToLookup(static child => child.Name, StringComparer.Ordinal);

    /// <summary>Its direct children with a name.</summary>
    public IEnumerable<NginxDirective> All(string name) => ByName[name];

    /// <summary>The directive and all directives in it.</summary>
    public IEnumerable<NginxDirective> WithDescendants() =>
        (Children ?? []).SelectMany(static child => child.WithDescendants()).Prepend(this);

    /// <summary>The text as in the file, for messages.</summary>
    public override string ToString() => string.Join(' ', Arguments.Prepend(Name));
}
