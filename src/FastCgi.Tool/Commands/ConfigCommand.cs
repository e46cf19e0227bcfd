using FastCgi.Tool.Configuration;

namespace FastCgi.Tool.Commands;

/// <summary>fcgi config: writes the configuration of a web server for an application.</summary>
internal sealed class ConfigCommand : ExampleCommand
{
    private static readonly Dictionary<string, Func<DeploymentSettings, IReadOnlyList<ConfigurationFile>>> s_writers =
        new()
        {
            ["nginx"] = static settings => [new($"{settings.Site}.conf", NginxWriter.Write(settings))],
            ["apache"] = static settings => [new($"{settings.Site}.conf", ApacheWriter.Write(settings))],
            ["lighttpd"] = static settings => [new($"{settings.Site}.conf", LighttpdWriter.Write(settings))],
            ["caddy"] = static settings => [new("Caddyfile", CaddyWriter.Write(settings))],
            ["haproxy"] = static settings => [new("haproxy.cfg", HaproxyWriter.Write(settings))],
            ["h2o"] = static settings => [new("h2o.yaml", H2oWriter.Write(settings))],
            ["systemd"] = SystemdWriter.Write,
        };

    private readonly ToolTerminal _terminal;
    private readonly Option<string?> _settings = Option(
        "--settings", "file", "The appsettings.json of the application: endpoint, path base, body limit.");
    private readonly Option<string?> _name = Option(
        "--name", "endpoint", "Which of FastCgi:Endpoints. Default the first.");
    private readonly Option<string?> _endpoint = Option(
        "--endpoint",
        "address",
        "Where the application listens. Default that of the settings, then unix:/run/SITE/app.sock.");
    private readonly Option<string?> _serverName = Option(
        "--server-name", "host", "nginx, apache, caddy, h2o: the name of the site. Default any.");
    private readonly Option<string?> _listen = Option(
        "--listen",
        "[address:]port",
        "Where the web server listens. Default 80, and a certificate adds 443. For apache and caddy with a " +
        "certificate it is the port of TLS, default 443. Not for lighttpd.");
    private readonly Option<string?> _pathBase = Option(
        "--path-base", "path", "Mount the application there, for example /app.");
    private readonly Option<string?> _certificate = Option("--certificate", "file", "Serve TLS with this certificate.");
    private readonly Option<string?> _key = Option("--key", "file", "The key of the certificate.");
    private readonly Option<string?> _program = Option(
        "--program", "file", "systemd: the published program. Default /srv/app/App.");
    private readonly Option<string?> _site = Option(
        "--site", "name", "nginx, systemd: the name of the upstream and of the units. Default app.");
    private readonly Option<string?> _output = Option(
        "--output", "folder", "Write the files there, instead of printing them. Files that exist are kept.");
    private readonly Option<string?> _user = Option(
        "--user", "name", "systemd: the user of the application. Default that of --site.");
    private readonly Option<string?> _group = Option(
        "--group", "name", "systemd: the web server's group. Default www-data.");
    private readonly Argument<string> _server = new("server")
    {
        Description = "The web server, or systemd.",
        HelpName = "server",
    };

    public ConfigCommand(ToolTerminal terminal)
        : base(
            "config",
            "Prints the configuration of a web server for an application, from the application's own settings.",
            "fcgi config nginx --settings appsettings.json --server-name www.example.com > " +
            "/etc/nginx/sites-available/app",
            "fcgi config systemd --program /srv/app/App",
            "fcgi config systemd --site shop --program /srv/shop/Shop --output deploy",
            "fcgi config caddy --endpoint 127.0.0.1:9000 --path-base /app")
    {
        _terminal = terminal;
        _server.AcceptOnlyFromAmong([.. s_writers.Keys]);
        Add(_server);
        AddAll(
            _settings, _name, _endpoint, _serverName, _listen, _pathBase, _certificate, _key, _program, _user, _group,
            _site, _output);
        SetAction(Run);
    }

    private int Run(ParseResult parsed)
    {
        DeploymentSettings settings = Read(parsed);
        string server = parsed.GetRequiredValue(_server);
        RefuseOthers(parsed, server);
        DeploymentCheck.ForEverybody(settings);
        if (server != "systemd")
        {
            DeploymentCheck.ForWebServer(server, settings);
        }

        IReadOnlyList<ConfigurationFile> files = s_writers[server](settings);
        if (parsed.GetValue(_output) is { } folder)
        {
            Save(files, folder);
        }
        else
        {
            _terminal.Output.Write(files.Count == 1
                ? files[0].Text
                : string.Join('\n', files.Select(static file => $"# {file.Name}\n{file.Text}")));
        }

        return ExitCode.Success;
    }

    /// <summary>Refuses options that have no effect in files of this kind.</summary>
    private void RefuseOthers(ParseResult parsed, string server)
    {
        (Option<string?>[] others, string owner) = server == "systemd"
            ? (new[] { _serverName, _listen, _pathBase, _certificate, _key }, "a web server")
            : ([_program, _user, _group], "systemd");
        if (Array.Find(others, option => parsed.GetValue(option) is not null) is { } other)
        {
            throw ToolException.Usage(
                $"{other.Name} '{parsed.GetValue(other)}' is for the files of {owner}, and {server} has no place for " +
                "it. Leave it out.");
        }
    }

    private static void Save(IReadOnlyList<ConfigurationFile> files, string folder)
    {
        try
        {
            Directory.CreateDirectory(folder);
            foreach (ConfigurationFile file in files)
            {
                using var stream = new FileStream(Path.Combine(folder, file.Name), FileMode.CreateNew);
                stream.Write(Encoding.UTF8.GetBytes(file.Text));
            }
        }
        catch (Exception exception)
            when (exception is IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw ToolException.Usage($"--output '{folder}' cannot be written: {exception.Message}", exception);
        }
    }

    private DeploymentSettings Read(ParseResult parsed)
    {
        ApplicationSettings? application = parsed.GetValue(_settings) is { } path
            ? ApplicationSettings.Read(path)
            : null;
        string? certificate = parsed.GetValue(_certificate);
        string? key = parsed.GetValue(_key);
        if (certificate is null != key is null)
        {
            throw ToolException.Usage("--certificate and --key belong together. Give both.");
        }

        string site = ReadSite(parsed.GetValue(_site) ?? "app");
        ApplicationEndpoint endpoint = ReadEndpoint(parsed, application, site);
        return new DeploymentSettings
        {
            Site = site,
            Endpoint = endpoint.Address,
            IsScgi = endpoint.IsScgi,
            ServerName = parsed.GetValue(_serverName) is { Length: > 0 } serverName ? serverName : null,
            Listen = SiteAddress.Read(parsed.GetValue(_listen)),
            PathBase = ReadPathBase(parsed, application?.PathBase),
            KnowsPathBase = application?.PathBase is not null,
            Certificate = certificate,
            Key = key,
            MaxRequestBodySize = application?.MaxRequestBodySize,
            Program = parsed.GetValue(_program) ?? "/srv/app/App",
            User = ReadAccount(parsed, _user) ?? site,
            Group = ReadAccount(parsed, _group) ?? "www-data",
        };
    }

    private ApplicationEndpoint ReadEndpoint(ParseResult parsed, ApplicationSettings? application, string site)
    {
        string? name = parsed.GetValue(_name);
        ApplicationEndpoint? found = application?.FindEndpoint(name);
        if (name is not null && found is null)
        {
            throw ToolException.Usage(
                $"--name {name} is no endpoint of FastCgi:Endpoints in {parsed.GetValue(_settings) ?? "--settings"}.");
        }

        return parsed.GetValue(_endpoint) is { } option
            ? ApplicationEndpoint.Parse(option)
            : found ?? ApplicationEndpoint.Parse($"unix:/run/{site}/app.sock");
    }

    /// <summary>The server's own path base overrides the web server's. The comparison ignores case.</summary>
    private string? ReadPathBase(ParseResult parsed, string? own)
    {
        string? option = MountPath.Read(parsed.GetValue(_pathBase), _pathBase.Name);
        if (option is not null && own?.Equals(option, StringComparison.OrdinalIgnoreCase) == false)
        {
            throw ToolException.Usage(
                $"--path-base '{option}' is not the PathBase '{own}' in '{parsed.GetValue(_settings)}'. The " +
                "application takes the latter, so every route would be a 404. Change one of them, or leave it out.");
        }

        return option ?? own;
    }

    /// <summary>Reads a name for an upstream, a unit and a user.</summary>
    private static string ReadSite(string name) =>
        name.All(static letter => char.IsAsciiLetterOrDigit(letter) || letter is '-' or '_')
            && name is [>= 'a' and <= 'z' or >= 'A' and <= 'Z', ..]
            ? name
            : throw ToolException.Usage(
                $"--site '{name}' is no name of a unit. Use letters, digits, - and _, a letter first.");

    /// <summary>Reads a name or a number. A space in it would make two directories of the unit's one.</summary>
    private static string? ReadAccount(ParseResult parsed, Option<string?> option) => parsed.GetValue(option) switch
    {
        null => null,
        [not ('-' or '.'), ..] name when name.All(
            static letter => char.IsAsciiLetterOrDigit(letter) || letter is '-' or '_' or '.') => name,
        { } name => throw ToolException.Usage(
            $"{option.Name} '{name}' is no name of a user or a group. Use letters, digits, '_', '-' and '.', and " +
            "neither '-' nor '.' first."),
    };

    private static Option<string?> Option(string name, string value, string description) =>
        SharedOptions.Of<string?>(name, description, value);
}
