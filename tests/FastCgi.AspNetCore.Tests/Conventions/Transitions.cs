namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>The tables of docs/architecture.md, made from the code that the server runs.</summary>
internal static class Transitions
{
    private const string Forbidden = "-";

    /// <summary>What an application can keep, in the order of the way.</summary>
    private static readonly (Type Type, string Role)[] s_kept =
    [
        (typeof(AbortSignal), "behind `RequestAborted`"),
        (typeof(CgiRequestLease), "behind the features of the request"),
        (typeof(RequestFeatures), "all features of a request"),
        (typeof(ApplicationResponse), "behind the response features"),
        (typeof(ResponseHeaderDictionary), "`Response.Headers`"),
        (typeof(RequestHeaderDictionary), "`Request.Headers`"),
        (typeof(ResponsePipeWriter), "`Response.BodyWriter`"),
        (typeof(BodyStream), "`Response.Body`, `Request.Body`, the stream of an upgrade"),
        (typeof(RequestBodyReader), "`Request.BodyReader`"),
        (typeof(ConnectionUpgrade), "behind `IHttpUpgradeFeature`"),
    ];

    private static readonly (string Name, Func<string> Make)[] s_tables =
    [
        (nameof(ConnectionPhase), static () => Moves<ConnectionPhase>(ConnectionLife.Allows)),
        (nameof(RequestStage), static () => Moves<RequestStage>(FastCgiRequest.Allows)),
        (nameof(ResponsePhase), static () => Matrix<ResponsePhase, ResponseEvent>(ApplicationResponse.After)),
        (nameof(FlushHold), FlushTimings),
        (nameof(BodyPhase), static () => Matrix<BodyPhase, BodyEvent>(
            static (phase, happened) => Try(() => RequestBody.Next(phase, happened)))),
        (nameof(ReadPhase), static () => Matrix<ReadPhase, ReadEvent>(
            static (phase, happened) => Try(() => RequestBodyReader.Next(phase, happened)))),
        ("KeptObjects", Kept),
    ];

    /// <summary>One event of a timing.</summary>
    private delegate void FlushStep(ref FlushTiming timing);

    public static IEnumerable<string> Names => s_tables.Select(static table => table.Name);

    public static string Of(string name) => s_tables.Single(table => table.Name == name).Make();

    private static string Moves<TPhase>(Func<TPhase, TPhase, bool> allows)
        where TPhase : struct, Enum => Table(
            ["from", "to"],
            Enum.GetValues<TPhase>().Select(from => (string[])
                [$"{from}", OrForbidden(string.Join(", ", Enum.GetValues<TPhase>().Where(to => allows(from, to))))]));

    private static string Matrix<TPhase, TEvent>(Func<TPhase, TEvent, TPhase?> next)
        where TPhase : struct, Enum
        where TEvent : struct, Enum => Table(
            ["event", .. Enum.GetNames<TPhase>()],
            Enum.GetValues<TEvent>().Select(happened => (string[])
                [$"{happened}", .. Enum.GetValues<TPhase>().Select(phase => Cell(phase, next(phase, happened)))]));

    private static string Cell<TPhase>(TPhase before, TPhase? after)
        where TPhase : struct, Enum =>
        after is not { } phase ? Forbidden : phase.Equals(before) ? "stays" : $"{phase}";

    private static TPhase? Try<TPhase>(Func<TPhase> next)
        where TPhase : struct
    {
        try
        {
            return next();
        }
        catch (InvalidOperationException)
        {
            return null;
        }
    }

    private static readonly object s_upload = new();

    private static string FlushTimings()
    {
        FlushHold[] holds =
            [FlushHold.Free, FlushHold.Run, FlushHold.Upload, FlushHold.Run | FlushHold.Upload];
        (string Name, FlushStep Step)[] steps =
        [
            ("BeginRun", static (ref FlushTiming timing) => timing.BeginRun()),
            ("EndRun or BreakRun", static (ref FlushTiming timing) => timing.BreakRun()),
            ("BeginUpload", static (ref FlushTiming timing) => timing.BeginUpload(s_upload)),
            ("EndUpload", static (ref FlushTiming timing) => timing.TryEndUpload(s_upload)),
            ("Flush", static (ref FlushTiming timing) => timing.Flush(isWhole: false)),
            ("Reset", static (ref FlushTiming timing) => timing.Reset()),
        ];
        return Table(
            ["event", .. holds.Select(Text)],
            steps.Select(step => (string[])[step.Name, .. holds.Select(hold => After(hold, step.Step))]));
    }

    private static string After(FlushHold hold, FlushStep step)
    {
        var timing = default(FlushTiming);
        if (hold.HasFlag(FlushHold.Run))
        {
            timing.BeginRun();
        }

        if (hold.HasFlag(FlushHold.Upload))
        {
            timing.BeginUpload(s_upload);
        }

        if (hold != FlushHold.Free)
        {
            timing.Flush(isWhole: false);
        }

        step(ref timing);
        var after = timing.Hold == hold ? "stays" : Text(timing.Hold);
        return timing.IsDue ? $"{after}, bytes leave" : after;
    }

    private static string Text(FlushHold hold) => $"{hold}".Replace(", ", " + ", StringComparison.Ordinal);

    private static string Kept() => Table(
        ["object", "bytes", "what the application sees of it"],
        s_kept.Select(static kept => (string[])[$"`{kept.Type.Name}`", $"{SizeOf(kept.Type)}", kept.Role]));

    // The runtime allocates for itself too: when it loads the type, and when its caches of the type change.
    private static long SizeOf(Type type) => Enumerable.Range(0, 5).Min(_ => BytesOfOne(type));

    private static long BytesOfOne(Type type)
    {
        var before = GC.GetAllocatedBytesForCurrentThread();
        var made = RuntimeHelpers.GetUninitializedObject(type);
        var size = GC.GetAllocatedBytesForCurrentThread() - before;
        Keep(made);
        return size;

        // Its finalizer, if it has one, expects a constructor.
        static void Keep(object made) => GC.SuppressFinalize(made);
    }

    private static string OrForbidden(string text) => text.Length == 0 ? Forbidden : text;

    private static string Table(string[] header, IEnumerable<string[]> rows)
    {
        var table = new StringBuilder();
        Append(header);
        Append([.. header.Select(static _ => "---")]);
        foreach (var row in rows)
        {
            Append(row);
        }

        return table.ToString();

        void Append(string[] cells) => table.Append("| ").AppendJoin(" | ", cells).Append(" |\n");
    }
}
