namespace FastCgi.Client.Responses;

/// <summary>The head of a CGI response (RFC 3875, section 6).</summary>
internal sealed class CgiHead
{
    private readonly List<(string Name, string Value)> _fields = [];

    /// <summary>Null if the head has no Status.</summary>
    public HttpStatusCode? Status { get; set; }

    public string? Reason { get; set; }

    public string? Location { get; private set; }

    public long? ContentLength { get; private set; }

    /// <summary>True for a Location that is a path, and no Status (section 6.2.2).</summary>
    public bool IsLocalRedirect => Status is null && Location is ['/', ..] and not ['/', '/', ..];

    /// <summary>200 without Status, 302 with a Location (section 6.3.3).</summary>
    public HttpStatusCode StatusCode => Status ?? (Location is null ? HttpStatusCode.OK : HttpStatusCode.Found);

    /// <summary>True if another head follows (RFC 9110, section 15.2). After 101 another protocol follows.</summary>
    public bool IsInterim => (int)StatusCode is < 200 and not 101;

    /// <summary>False if the status allows no body (RFC 9110, sections 6.4.1 and 15.3.6).</summary>
    public bool HasBody => (int)StatusCode is >= 200 and not (204 or 205 or 304);

    /// <exception cref="FormatException">The field contradicts another, or its value is invalid.</exception>
    public void Add(string name, string value)
    {
        if (name.Equals("Location", StringComparison.OrdinalIgnoreCase))
        {
            Location = Location is null ? value : throw new FormatException("it has two Location fields");
        }
        else if (name.Equals("Content-Type", StringComparison.OrdinalIgnoreCase))
        {
            // The field must not come twice (RFC 3875, section 6.3). Web servers send only the last one.
            _fields.RemoveAll(static field => field.Name.Equals("Content-Type", StringComparison.OrdinalIgnoreCase));
        }
        else if (name.Equals("Content-Length", StringComparison.OrdinalIgnoreCase) && !TryAddContentLength(value))
        {
            return;
        }

        _fields.Add((name, value));
    }

    /// <summary>Copies status and fields. Repeated fields stay repeated.</summary>
    public void CopyTo(HttpResponseMessage response)
    {
        response.StatusCode = StatusCode;
        response.ReasonPhrase = Reason;
        foreach ((string name, string value) in _fields)
        {
            if (!response.Headers.TryAddWithoutValidation(name, value))
            {
                response.Content.Headers.TryAddWithoutValidation(name, value);
            }
        }
    }

    /// <summary>False if the same length comes again, which is ignored (RFC 9110, section 8.6).</summary>
    private bool TryAddContentLength(string value)
    {
        if (!long.TryParse(value, System.Globalization.NumberStyles.None, null, out long length)
            || (ContentLength is { } other && other != length))
        {
            throw new FormatException($"its Content-Length is '{value}'");
        }

        bool isFirst = ContentLength is null;
        ContentLength = length;
        return isFirst;
    }
}
