namespace FastCgi.WebServerTests.Identity;

/// <summary>The configurations of docs/users.md, which are what these tests run.</summary>
internal static class IdentityPage
{
    /// <summary>The lines by which this web server verifies users.</summary>
    public static string Users(string language) => Block("Users whom the web server has verified", language);

    /// <summary>The lines by which this web server passes certificates on.</summary>
    public static string Certificates(string language) => Block("Client certificates", language);

    /// <summary>The lines by which this web server asks the application in both roles.</summary>
    public static string Authorizers(string language) => Block("Authorizers", language);

    /// <inheritdoc cref="MarkdownBlocks.With"/>
    public static string WithSocket(this string text, ServedApp app) => text.With("/run/app/app.sock", app.SocketPath);

    private static string Block(string section, string language) =>
        Assert.Single(MarkdownBlocks.Read(Path.Combine(Repository.Root, "docs", "users.md"), language, section));
}
