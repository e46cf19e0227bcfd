namespace FastCgi.FunctionalTests.Paths;

/// <param name="Url">Where the file was when it was compiled.</param>
internal sealed record TracedMethod(string Type, string Name, string Url)
{
    private const string Sources = "/src/";
    private const string Server = "FastCgi.AspNetCore/";

    /// <summary>Below <c>src</c>.</summary>
    public string File => Url[(Url.LastIndexOf(Sources, StringComparison.Ordinal) + Sources.Length)..];

    public bool IsGenerated => File.Contains("/obj/", StringComparison.Ordinal);

    /// <summary>A thread of the server waits for requests here.</summary>
    public bool IsWait => ToString() == "EpollSet.Wait";

    public bool IsAccessor =>
        Name.Contains("get_", StringComparison.Ordinal) || Name.Contains("set_", StringComparison.Ordinal);

    public bool IsIn(string room) => File.StartsWith($"{Server}{room}/", StringComparison.Ordinal);

    public override string ToString() => $"{Type[(Type.LastIndexOf('.') + 1)..]}.{Name[(Name.LastIndexOf('.') + 1)..]}";
}
