namespace FastCgi.Tool.Nginx;

/// <summary>
/// One directive, and for a block the directives in it. An include is replaced by what the files hold.
/// </summary>
/// <param name="Name">The first word.</param>
/// <param name="Arguments">The further words, without quotes.</param>
/// <param name="Place">Where it begins.</param>
/// <param name="Children">Null for a directive that ends with a semicolon.</param>
internal sealed record NginxDirective(
    string Name, IReadOnlyList<string> Arguments, NginxPlace Place, IReadOnlyList<NginxDirective>? Children)
{
    public string Argument(int index) => index < Arguments.Count ? Arguments[index] : "";

    /// <summary>Its own children of a name.</summary>
    public IEnumerable<NginxDirective> All(string name) => (Children ?? []).Where(child => child.Name == name);
}
