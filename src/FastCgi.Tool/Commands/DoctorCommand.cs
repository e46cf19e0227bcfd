using System.CommandLine;
using System.Text.Json.Nodes;
using FastCgi.Tool.CommandLine;
using FastCgi.Tool.Configuration;
using FastCgi.Tool.Doctor;
using FastCgi.Tool.Doctor.Rules;
using FastCgi.Tool.Nginx;
using FastCgi.Tool.Output;
using FastCgi.Tool.Requests;

namespace FastCgi.Tool.Commands;

/// <summary>fcgi doctor: what is wrong with nginx's configuration.</summary>
internal sealed class DoctorCommand
{
    private const string StandardInput = "-";

    private readonly ToolTerminal _terminal;
    private readonly Option<bool> _json = SharedOptions.Json();
    private readonly Option<bool> _probe = new("--probe")
    {
        Description = "Connect to the applications, and send each a request.",
    };

    private readonly Argument<string[]> _files = new("file")
    {
        Description = "Files of nginx, or - for the output of nginx -T. Default /etc/nginx/nginx.conf.",
        DefaultValueFactory = static _ => ["/etc/nginx/nginx.conf"],
    };

    private readonly Option<string> _url = new("--url")
    {
        Description = "The path of the probe's request. Give one whose response has the longest head.",
        DefaultValueFactory = static _ => "/",
    };

    private readonly Option<string?> _settings = new("--settings")
    {
        Description = "The appsettings.json of the application, whose limits are compared.",
        HelpName = "file",
    };

    private DoctorCommand(ToolTerminal terminal) => _terminal = terminal;

    public static Command Create(ToolTerminal terminal)
    {
        var doctor = new DoctorCommand(terminal);
        var command = new ExampleCommand(
            "doctor",
            "Reads nginx's configuration with its includes, and names what is wrong: file, line and remedy. Status " +
            "1 if it finds something.",
            "fcgi doctor /etc/nginx/nginx.conf",
            "sudo nginx -T | fcgi doctor - --probe",
            "fcgi doctor /etc/nginx/conf.d/app.conf --settings /srv/app/appsettings.json --json");
        command.Add(doctor._files);
        foreach (Option option in (Option[])[doctor._probe, doctor._url, doctor._settings, doctor._json])
        {
            command.Add(option);
        }

        command.SetAction(doctor.RunAsync);
        return command;
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        BodyLimit? bodyLimit = parsed.GetValue(_settings) is { } settings
            ? ApplicationSettings.Read(settings).MaxRequestBodySize
            : null;
        RequestTarget.Parse(parsed.GetRequiredValue(_url));
        List<Finding> findings = [];
        List<PassPoint> points = [];
        foreach (string file in parsed.GetRequiredValue(_files))
        {
            try
            {
                NginxDirective configuration = NginxParser.Parse(await OpenAsync(file, cancellationToken));
                PassPoint[] found = [.. PassPoint.Find(configuration)];
                points.AddRange(found);
                var context = new DoctorContext(
                    bodyLimit,
                    parsed.GetValue(_probe)
                        ? await ApplicationProbes.RunAsync(found, parsed.GetValue(_url), cancellationToken)
                        : new Dictionary<string, ProbedApplication>());
                findings.AddRange(Examination.Of(configuration, context));
            }
            catch (NginxSyntaxException exception)
            {
                findings.Add(
                    new Finding("syntax", exception.Place, $"{exception.Message}.", "nginx -t shows the line too."));
            }
        }

        Write(findings, points, parsed.GetValue(_json));
        return findings.Count == 0 ? ExitCode.Success : ExitCode.Findings;
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
            : throw new ToolException(
                ExitCode.Usage,
                $"there is no file '{file}'. Name nginx's main file, or pipe nginx -T into fcgi doctor -.");
    }

    private void Write(List<Finding> findings, List<PassPoint> points, bool isJson)
    {
        if (isJson)
        {
            _terminal.WriteJson(new JsonObject
            {
                ["locations"] = points.Count,
                ["findings"] = new JsonArray([.. findings.Select(static finding => new JsonObject
                {
                    ["rule"] = finding.Rule,
                    ["file"] = finding.Place.File,
                    ["line"] = finding.Place.Line,
                    ["problem"] = finding.Problem,
                    ["remedy"] = finding.Remedy,
                })]),
            });
            return;
        }

        foreach (Finding finding in findings)
        {
            _terminal.Output.WriteLine($"{finding.Place}: {finding.Rule}: {finding.Problem}");
            _terminal.Output.WriteLine($"    {finding.Remedy}");
        }

        int scgi = points.Count(static point => point.IsScgi);
        string places = scgi == 0 ? $"{points.Count} fastcgi_pass"
            : scgi == points.Count ? $"{scgi} scgi_pass"
            : $"{points.Count - scgi} fastcgi_pass and {scgi} scgi_pass";
        _terminal.Output.WriteLine($"{findings.Count} found at {places}");
    }
}
