using System.Text.RegularExpressions;

namespace FastCgi.Tool.Tests.Doctor;

/// <summary>Files that are right yield nothing: Debian's, those of the samples, and those of the pages.</summary>
public sealed partial class CorrectFileTests
{
    public static TheoryData<string> Files =>
    [
        .. Directory.EnumerateFiles(
            Path.Combine(Repository.Root, "samples"), "nginx*.conf", SearchOption.AllDirectories)
            .Select(static path => Path.GetRelativePath(Repository.Root, path)),
    ];

    public static TheoryData<string, int> Snippets =>
    [
        .. from page in Directory.EnumerateFiles(Path.Combine(Repository.Root, "docs"), "*.md")
                .Append(ReadMe).Append(Path.Combine(Repository.Root, "src", "FastCgi.AspNetCore", "README.md"))
            from block in Blocks(page).Index()
            select (Path.GetRelativePath(Repository.Root, page), block.Index),
    ];

    /// <summary>Debian's site serves files: no application is asked, and that is all there is to find.</summary>
    [Theory]
    [InlineData("/etc/nginx/nginx.conf")]
    [InlineData("/etc/nginx/sites-available/default")]
    public async Task Debians_own_files_lead_to_no_application(string file)
    {
        InstalledProgram.Find("nginx");

        var run = await ToolRun.OfAsync("doctor", file, "--json");

        Assert.Equal(["no-pass"], run.Rules);
    }

    private static string ReadMe => Path.Combine(Repository.Root, "README.md");

    [Theory]
    [MemberData(nameof(Files))]
    public async Task A_file_that_is_right_yields_nothing(string file)
    {
        InstalledProgram.Find("nginx");
        using var directory = new WorkDirectory();
        var text = await File.ReadAllTextAsync(Path.Combine(Repository.Root, file));
        await File.WriteAllTextAsync(directory.File("site.conf"), WithSockets(text, directory));

        await AssertFineAsync(directory.File("site.conf"));
    }

    [Theory]
    [MemberData(nameof(Snippets))]
    public async Task A_block_of_a_page_yields_nothing(string page, int index)
    {
        InstalledProgram.Find("nginx");
        using var directory = new WorkDirectory();
        var text = Blocks(Path.Combine(Repository.Root, page))[index];
        await File.WriteAllTextAsync(directory.File("block.conf"), WithSockets(text, directory));

        await AssertFineAsync(directory.File("block.conf"));
    }

    /// <summary>Debian's site for PHP, once its administrator has removed the marks of the comments.</summary>
    [Fact]
    public async Task The_location_for_PHP_that_Debian_ships_yields_nothing()
    {
        InstalledProgram.Find("nginx");
        using var directory = new WorkDirectory();
        var site = await File.ReadAllTextAsync("/etc/nginx/sites-available/default");
        var active = CommentedLocation().Replace(
            site,
            "location ~ \\.php$ {\n include snippets/fastcgi-php.conf;\n fastcgi_pass unix:/run/php/php-fpm.sock;\n}");
        Assert.Contains("\n include snippets", active, StringComparison.Ordinal);
        await File.WriteAllTextAsync(directory.File("default"), WithSockets(active, directory));

        var run = await ToolRun.OfAsync("doctor", directory.File("default"), "--json");

        Assert.Equal(1, (int)run.Json["locations"]!);
        Assert.Empty(run.Rules);
    }

    /// <summary>A map chooses the upstream of each request.</summary>
    [Fact]
    public async Task A_pass_to_a_variable_yields_nothing()
    {
        using var directory = new WorkDirectory();
        await File.WriteAllTextAsync(directory.File("site.conf"), $$"""
            upstream blue { server 127.0.0.1:9001; keepalive 8; }
            upstream green { server 127.0.0.1:9002; keepalive 8; }
            map $cookie_pool $pool { default blue; green green; }
            {{Seed.Site(location: $"{Seed.Facts}\n        fastcgi_pass $pool;\n        fastcgi_keep_conn on;")}}
            """);

        await AssertFineAsync(directory.File("site.conf"), "--probe");
    }

    /// <summary>The same with sockets that exist; the doctor looks for their files.</summary>
    private static string WithSockets(string text, WorkDirectory directory) => UnixAddress().Replace(text, match =>
    {
        var path = directory.File(match.Groups[1].Value.Replace('/', '-'));
        File.WriteAllText(path, "");
        return $"unix:{path}";
    });

    private static async Task AssertFineAsync(string file, params string[] arguments)
    {
        var run = await ToolRun.OfAsync(["doctor", file, .. arguments]);

        Assert.True(run.ExitCode == ExitCode.Success, run.Output + run.Error);
    }

    private static string[] Blocks(string page) => MarkdownBlocks.Read(page, "nginx");

    [GeneratedRegex(@"unix:(/[^;|:\s]+)")]
    private static partial Regex UnixAddress();

    [GeneratedRegex(@"#location ~ \\\.php\$ \{.*?#\}", RegexOptions.Singleline)]
    private static partial Regex CommentedLocation();
}
