using System.Buffers;
using System.Net;

namespace FastCgi.Tool.CommandLine;

/// <summary>The options of get and bench that describe a request, with curl's names if curl has them.</summary>
internal sealed class RequestOptions
{
    private static readonly SearchValues<char> s_token = SearchValues.Create(
        "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");

    private const string FormType = "application/x-www-form-urlencoded";

    private readonly Argument<string> _endpoint = SharedOptions.Endpoint();

    private readonly Argument<string?> _url = new("url")
    {
        // The default value is not set here, because the list of commands would show it without a name.
        Description = "The URL that the application sees, or a path on http://localhost. Default /.",
        Arity = ArgumentArity.ZeroOrOne,
    };

    private readonly Option<string?> _method = SharedOptions.Of<string?>(
        "--method", "The method. Default GET, with a body POST, with --upload-file PUT.", aliases: "-X");
    private readonly Option<string[]> _headers = SharedOptions.Of<string[]>(
        "--header", "A header, as 'Name: value'. Can be repeated.", "Name: value", "-H");
    private readonly Option<string?> _data = SharedOptions.Of<string?>(
        "--data", "The body: a text, @FILE, or @- for the standard input.", aliases: "-d");
    private readonly Option<string?> _upload = SharedOptions.Of<string?>(
        "--upload-file", "Send a file as the body, or - for the standard input.", "file", "-T");
    private readonly Option<string[]> _parameters = SharedOptions.Of<string[]>(
        "--param",
        "A param as NAME=VALUE, which wins over others; NAME alone removes it. Can be repeated.",
        "NAME=VALUE",
        "-p");
    private readonly Option<string?> _user = SharedOptions.Of<string?>(
        "--user", "Basic authentication.", "name:password", "-u");
    private readonly Option<string?> _root = SharedOptions.Of<string?>(
        "--root",
        "The directory of PHP's scripts as the PHP process sees it. Sets SCRIPT_FILENAME.",
        "directory");
    private readonly Option<string?> _from = SharedOptions.Of<string?>(
        "--from", "The client's address (REMOTE_ADDR). Default 127.0.0.1.", "address");
    private readonly Option<string> _role = SharedOptions.WithDefault(
        "responder", "--role", "The role of the application.");
    private readonly Option<double> _timeout = SharedOptions.Timeout(
        30, "Seconds that a request may take, with the whole response.");

    public RequestOptions() => _role.AcceptOnlyFromAmong("responder", "authorizer");

    public void AddTo(Command command)
    {
        command.Add(_endpoint);
        command.Add(_url);
        Array.ForEach(
            (Option[])[_method, _headers, _data, _upload, _parameters, _user, _root, _from, _role, _timeout],
            command.Add);
    }

    /// <exception cref="ToolException">A value is invalid.</exception>
    public async Task<RequestSettings> ReadAsync(
        ParseResult parsed, ToolTerminal terminal, CancellationToken cancellationToken)
    {
        string? data = parsed.GetValue(_data);
        string? upload = parsed.GetValue(_upload);
        if (data is not null && upload is not null)
        {
            throw ToolException.Usage("--data and --upload-file both name a body. Give one of them.");
        }

        byte[]? body = await ReadBodyAsync(data, upload, terminal, cancellationToken);
        string endpoint = parsed.GetRequiredValue(_endpoint);
        (Uri uri, string target) = RequestTarget.Parse(parsed.GetValue(_url) ?? "/");
        return new RequestSettings
        {
            EndpointText = endpoint,
            Endpoint = SharedOptions.ReadEndpoint(endpoint),
            Uri = uri,
            Target = target,
            Method = ReadMethod(
                parsed.GetValue(_method) ?? (upload is not null ? "PUT" : data is not null ? "POST" : "GET")),
            Headers = [.. ReadHeaders(parsed, data is not null)],
            Body = body,
            Parameters = ReadParameters(parsed.GetValue(_parameters) ?? []),
            DocumentRoot = ReadRoot(parsed.GetValue(_root)),
            RemoteAddress = ReadAddress(parsed.GetValue(_from)),
            Role = parsed.GetValue(_role) == "authorizer" ? FastCgiRole.Authorizer : FastCgiRole.Responder,
            Timeout = SharedOptions.ReadSeconds(parsed.GetValue(_timeout), "--timeout"),
        };
    }

    private static async Task<byte[]?> ReadBodyAsync(
        string? data, string? upload, ToolTerminal terminal, CancellationToken cancellationToken)
    {
        string? file = upload ?? (data?.StartsWith('@') == true ? data[1..] : null);
        if (file is null)
        {
            return data is null ? null : Encoding.UTF8.GetBytes(data);
        }

        if (file == "-")
        {
            using var input = new MemoryStream();
            await terminal.Input.CopyToAsync(input, cancellationToken);
            return input.ToArray();
        }

        return File.Exists(file)
            ? await File.ReadAllBytesAsync(file, cancellationToken)
            : throw ToolException.Usage($"there is no file '{file}' to send. Correct the path.");
    }

    private IEnumerable<KeyValuePair<string, string>> ReadHeaders(ParseResult parsed, bool isForm)
    {
        bool hasType = false;
        foreach (string header in parsed.GetValue(_headers) ?? [])
        {
            int colon = header.IndexOf(':', StringComparison.Ordinal);
            if (colon <= 0)
            {
                throw ToolException.Usage($"the header '{header}' has no name. Write it as 'Name: value'.");
            }

            string name = header[..colon].Trim();
            if (name.AsSpan().ContainsAnyExcept(s_token) || header.AsSpan(colon).ContainsAny('\r', '\n', '\0'))
            {
                throw ToolException.Usage(
                    $"the header '{header}' has a character in it that no web server passes on: a line break, a NUL, " +
                    "or in its name anything but letters, digits and !#$%&'*+-.^_`|~.");
            }

            hasType |= name.Equals("Content-Type", StringComparison.OrdinalIgnoreCase);
            yield return new(name, header[(colon + 1)..].Trim());
        }

        if (isForm && !hasType)
        {
            yield return new("Content-Type", FormType);
        }

        if (parsed.GetValue(_user) is { } user)
        {
            yield return new("Authorization", $"Basic {Convert.ToBase64String(Encoding.UTF8.GetBytes(user))}");
        }
    }

    private static Dictionary<string, string?> ReadParameters(string[] texts)
    {
        var parameters = new Dictionary<string, string?>(StringComparer.Ordinal);
        foreach (string text in texts)
        {
            int equals = text.IndexOf('=', StringComparison.Ordinal);
            if (text.Length == 0 || equals == 0)
            {
                throw ToolException.Usage(
                    $"the param '{text}' has no name. Write it as NAME=VALUE, or NAME to remove it.");
            }

            parameters[equals < 0 ? text : text[..equals]] = equals < 0 ? null : text[(equals + 1)..];
        }

        return parameters;
    }

    private static string? ReadRoot(string? root) => root is null || root.StartsWith('/')
        ? root
        : throw ToolException.Usage(
            $"--root '{root}' is no absolute path. PHP needs one: {Path.Combine(Environment.CurrentDirectory, root)} " +
            "if it sees your files.");

    private static string ReadMethod(string method)
    {
        try
        {
            return new HttpMethod(method).Method;
        }
        catch (Exception exception) when (exception is ArgumentException or FormatException)
        {
            throw ToolException.Usage($"--method '{method}' is no method. Write one like GET or PATCH.", exception);
        }
    }

    private static IPAddress? ReadAddress(string? text) => text is null
        ? null
        : IPAddress.TryParse(text, out IPAddress? address)
            ? address
            : throw ToolException.Usage(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"--from '{text}' is no IP address. Write 203.0.113.7 or 2001:db8::7."));
}
