namespace FastCgi.Benchmarks.Curves;

/// <summary>What the load generator sends at one point of a curve, and what it wants to get.</summary>
internal sealed record CurveLoad
{
    public int Connections { get; init; } = 32;

    /// <summary>Requests at a time on each connection.</summary>
    public int AtATime { get; init; } = 1;

    /// <summary>What is sent first: records up to the body, or an order to <c>cat</c>.</summary>
    public required byte[] Request { get; init; }

    /// <summary>The body of the request; null: <see cref="Request"/> is all of it.</summary>
    public long? UploadLength { get; init; }

    /// <summary>
    /// The body that every answer must have; null: <see cref="DownloadLength"/> bytes of the letter x.
    /// </summary>
    public byte[]? Body { get; init; }

    public long DownloadLength { get; init; }

    /// <summary>Bytes without records, both ways.</summary>
    public bool IsBare { get; init; }

    /// <summary>The load generator's command line; writes the files that it names.</summary>
    public async Task<string[]> PrepareAsync(string socketPath, string directory, TimeSpan duration)
    {
        string requestFile = Path.Combine(directory, "curve.request");
        string bodyFile = Path.Combine(directory, "curve.body");
        await File.WriteAllBytesAsync(requestFile, Request);
        if (Body is not null)
        {
            await File.WriteAllBytesAsync(bodyFile, Body);
        }

        return
        [
            .. IsBare ? ["-b"] : (string[])[],
            .. AtATime > 1 ? ["-m", Text(AtATime)] : (string[])[],
            .. UploadLength is { } length ? ["-u", Text(length)] : (string[])[],
            .. Body is null ? ["-d", Text(DownloadLength)] : (string[])[],
            socketPath,
            Text(Connections),
            duration.TotalSeconds.ToString("F0", CultureInfo.InvariantCulture),
            "keep",
            requestFile,
            .. Body is null ? (string[])[] : [bodyFile],
        ];
    }

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);
}
