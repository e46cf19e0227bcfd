using FastCgi.Tool.Apache;
using FastCgi.Tool.Configuration;
using FastCgi.Tool.Doctor;
using FastCgi.Tool.Doctor.Rules;

namespace FastCgi.Tool.Commands;

/// <summary>fcgi doctor: checks the configuration of nginx or Apache.</summary>
internal sealed class DoctorCommand : ExampleCommand
{
    private const string StandardInput = "-";
    private const string MainFile = "/etc/nginx/nginx.conf";

    private readonly ToolTerminal _terminal;
    private readonly Argument<string[]> _files = new("file")
    {
        Description = $"Files of nginx or Apache, or - for the output of nginx -T. Default {MainFile}.",
        Arity = ArgumentArity.ZeroOrMore,
    };
    private readonly Option<bool> _probe = SharedOptions.Flag(
        "--probe", "Connect to the applications, and send each a request.");
    private readonly Option<string> _url = SharedOptions.WithDefault(
        "/", "--url", "The path of the probe's request. Give one whose response has the longest head.");
    private readonly Option<string?> _settings = SharedOptions.Of<string?>(
        "--settings", "The appsettings.json of the application, whose limits are compared.", "file");
    private readonly Option<bool> _json = SharedOptions.Json();

    public DoctorCommand(ToolTerminal terminal)
        : base(
            "doctor",
            "Reads the configuration of nginx or Apache with its includes, and names what is wrong: file, line and " +
            "remedy. Status 1 if it finds something.",
            "fcgi doctor /etc/nginx/nginx.conf",
            "sudo nginx -T | fcgi doctor - --probe",
            "fcgi doctor /etc/nginx/conf.d/app.conf --settings /srv/app/appsettings.json --json")
    {
        _terminal = terminal;
        Add(_files);
        AddAll(_probe, _url, _settings, _json);
        SetAction(RunAsync);
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        ApplicationSettings? settings = parsed.GetValue(_settings) is { } path ? ApplicationSettings.Read(path) : null;
        string target = parsed.GetRequiredValue(_url);
        RequestTarget.Parse(target);
        List<Finding> findings = [];
        List<PassPoint> points = [];
        int apache = 0;
        foreach (string file in parsed.GetValue(_files) is { Length: > 0 } files ? files : [MainFile])
        {
            if (await IsApacheAsync(file, cancellationToken))
            {
                NginxConfiguration site = ApacheParser.Parse(Path.GetFullPath(file));
                (IReadOnlyList<Finding> found, int passes) = ApacheRules.Check(site);
                apache += passes;
                findings.AddRange(Examination.Sort(site, found));
                continue;
            }

            NginxConfiguration configuration = NginxParser.Parse(await OpenAsync(file, cancellationToken));
            PassPoint[] all = [.. PassPoint.Find(configuration.Root)];
            var context = new DoctorContext(
                settings?.MaxRequestBodySize,
                settings?.FindEndpoint(null) is { } endpoint ? [AddressOf(endpoint)] : [],
                parsed.GetValue(_probe)
                    ? await ApplicationProbes.RunAsync(all, target, cancellationToken)
                    : new Dictionary<string, ProbedApplication>());
            points.AddRange(all.Where(static point => !point.IsProxy));
            findings.AddRange(Examination.Of(configuration, all, context));
        }

        Write(findings, points, apache, parsed.GetValue(_json));
        return findings.All(static finding => finding.IsHint) ? ExitCode.Success : ExitCode.Findings;
    }

    /// <exception cref="ToolException">The file is of a web server that the doctor does not know.</exception>
    private static async Task<bool> IsApacheAsync(string file, CancellationToken cancellationToken)
    {
        if (file == StandardInput || !File.Exists(file))
        {
            return false;
        }

        string? server = WebServerFile.Recognize(await File.ReadAllTextAsync(file, cancellationToken));
        return server switch
        {
            null => false,
            WebServerFile.Apache => true,
            _ => throw ToolException.Usage(
                $"'{file}' is a file of {server}, and fcgi doctor reads those of nginx and Apache. " +
                WebServerFile.Advice(server).Replace("FILE", file, StringComparison.Ordinal)),
        };
    }

    /// <summary>The address in nginx's form.</summary>
    private static string AddressOf(ApplicationEndpoint endpoint)
    {
        var settings = new DeploymentSettings { Endpoint = endpoint.Address };
        return settings.IsTcp ? settings.TcpAddress : $"unix:{endpoint.Address.SocketPath}";
    }

    private async Task<NginxFiles> OpenAsync(string file, CancellationToken cancellationToken)
    {
        if (file == StandardInput)
        {
            using var reader = new StreamReader(_terminal.Input);
            return NginxFiles.Of(await reader.ReadToEndAsync(cancellationToken), StandardInput);
        }

        return File.Exists(file)
            ? NginxFiles.OnDisk(file)
            : throw ToolException.Usage(
                (Directory.Exists(file) ? $"'{file}' is a folder. " : $"there is no file '{file}'. ") +
                "Name nginx's main file, or pipe nginx -T into fcgi doctor -.");
    }

    private void Write(List<Finding> all, List<PassPoint> points, int apache, bool isJson)
    {
        Finding[] findings = [.. all.Where(static finding => !finding.IsHint)];
        Finding[] hints = [.. all.Where(static finding => finding.IsHint)];
        if (isJson)
        {
            _terminal.WriteJson(new JsonObject
            {
                ["locations"] = points.Count + apache,
                ["findings"] = ToJson(findings),
                ["hints"] = ToJson(hints),
            });
            return;
        }

        foreach (Finding finding in all)
        {
            string level = finding.IsHint ? "hint: " : "";
            _terminal.WriteWrapped($"{finding.Place}: {level}{finding.Rule}: {finding.Problem}", hanging: "  ");
            _terminal.WriteWrapped(finding.Remedy, indent: "    ");
        }

        int scgi = points.Count(static point => point.IsScgi);
        string places = apache > 0 && points.Count == 0 ? $"{apache} fcgi:// of Apache"
            : scgi == 0 ? $"{points.Count} fastcgi_pass"
            : scgi == points.Count ? $"{scgi} scgi_pass"
            : $"{points.Count - scgi} fastcgi_pass and {scgi} scgi_pass";
        int php = points.Count(static point => point.IsPhp);
        string taken = php > 0 ? $", {php} of them for PHP" : "";
        string hinted = hints.Length switch { 0 => "", 1 => "; 1 hint", var count => $"; {count} hints" };
        _terminal.Output.WriteLine($"{findings.Length} found at {places}{taken}{hinted}");
    }

    private static JsonArray ToJson(Finding[] findings) => new([.. findings.Select(static finding => new JsonObject
    {
        ["rule"] = finding.Rule,
        ["file"] = finding.Place.File,
        ["line"] = finding.Place.Line,
        ["problem"] = finding.Problem,
        ["remedy"] = finding.Remedy,
    })]);
}
