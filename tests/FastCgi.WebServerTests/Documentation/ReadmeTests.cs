using System.Reflection;

namespace FastCgi.WebServerTests.Documentation;

/// <summary>
/// README says only what is true: its program and its nginx configuration are run, its commands exist. The page of the
/// options has every option.
/// </summary>
public sealed class ReadmeTests
{
    private static readonly string _readme = Path.Combine(Repository.Root, "README.md");
    private static readonly string _options = Path.Combine(Repository.Root, "docs", "configuration.md");

    [Fact]
    public async Task The_program_and_the_nginx_configuration_work_together()
    {
        var site = Assert.Single(MarkdownBlocks.Read(_readme, "nginx"))
            .With("/run/app/app.sock", DocumentedPrograms.ReadmeSocket);
        await using var app = await DocumentedPrograms.StartReadmeAsync();
        await using var nginx = await WebServerProgram.Nginx.StartAsync(
            endPoint => site
                .With("listen 80;", $"listen {endPoint};")
                .With("include fastcgi_params", "include /etc/nginx/fastcgi_params"));
        using var client = TestClient.Create(nginx.EndPoint);

        var answer = await client.GetStringAsync(new Uri("", UriKind.Relative)).Within("the answer");

        Assert.Equal($"You asked for / on {nginx.EndPoint}.", answer);
    }

    [Fact]
    public void The_commands_are_there()
    {
        var commands = Assert.Single(MarkdownBlocks.Read(_readme, "bash")).Split('\n')
            .Where(line => line.Length > 0).Select(line => line.Split(' '));
        foreach (var command in commands)
        {
            var file = command switch
            {
                ["bash", var script, ..] => script,
                ["dotnet", "run", "--project", var project, ..] =>
                    Path.Combine(project, $"{Path.GetFileName(project)}.csproj"),
                _ => throw new InvalidOperationException($"{string.Join(' ', command)} is no command of this repository."),
            };
            Assert.True(File.Exists(Path.Combine(Repository.Root, file)), file);
        }
    }

    [Fact]
    public void Every_option_is_in_the_table()
    {
        var named = MarkdownBlocks.Names(_options)
            .Select(static name => name.Replace("Limits.", "").Replace("Status.", ""))
            .ToHashSet();
        string[] notForConfiguration = ["Limits", "Status", "ApplicationServices"];
        var options = typeof(FastCgiServerOptions).GetProperties(BindingFlags.Public | BindingFlags.Instance)
            .Concat(typeof(FastCgiServerLimits).GetProperties(BindingFlags.Public | BindingFlags.Instance))
            .Concat(typeof(FastCgiStatusOptions).GetProperties(BindingFlags.Public | BindingFlags.Instance))
            .Select(property => property.Name)
            .Except(notForConfiguration);

        Assert.Subset(named, options.ToHashSet());
    }
}
