namespace FormSample;

/// <summary>The request handler: one for every method and every target.</summary>
internal static class FormHandler
{
    /// <summary>The page shows no more of a body: encoded, it could be a hundred megabytes.</summary>
    private const int MaxShown = 65_536;

    public static async Task AnswerAsync(HttpContext context)
    {
        string posted;
        try
        {
            posted = await ReadPostedAsync(context.Request, context.RequestAborted);
        }
        catch (InvalidDataException)
        {
            // More fields, or longer names, than ASP.NET Core's FormOptions allow.
            await RefuseAsync(context, "The form has more fields, or longer names of fields, than are read.");
            return;
        }
        catch (IOException exception) when (exception is not BadHttpRequestException)
        {
            await RefuseAsync(context, "The form is cut off: its end is missing.");
            return;
        }

        var isCut = posted.Length > MaxShown;
        await WritePageAsync(
            context,
            isCut ? posted[..MaxShown] : posted,
            isCut ? $"Only the first {MaxShown} characters are shown." : "");
    }

    private static Task RefuseAsync(HttpContext context, string problem)
    {
        context.RequestServices.GetRequiredService<ILoggerFactory>().CreateLogger(nameof(FormHandler))
            .FormRefused(problem);
        context.Response.StatusCode = StatusCodes.Status400BadRequest;
        return WritePageAsync(context, "", problem);
    }

    public static Task WritePageAsync(HttpContext context, string posted, string problem)
    {
        context.Response.ContentType = "text/html; charset=utf-8";
        return context.Response.WriteAsync(
            FormPage.Render(context.Request, posted, problem), context.RequestAborted);
    }

    /// <summary>
    /// The fields of a form, one on each line; any other body as it came, read as UTF-8. A long one is cut, beyond what
    /// is shown.
    /// </summary>
    private static async Task<string> ReadPostedAsync(HttpRequest request, CancellationToken aborted)
    {
        if (request.HasFormContentType)
        {
            var form = await request.ReadFormAsync(aborted);
            return string.Join('\n', form.Select(static field => $"{field.Key}: {Cut(field.Value.ToString())}"));
        }

        using var reader = new StreamReader(request.Body);
        var text = new char[MaxShown + 1];
        var length = await reader.ReadBlockAsync(text, aborted);
        // To the end, where a body that is cut off shows itself.
        await request.Body.CopyToAsync(Stream.Null, aborted);
        return new string(text, 0, length);
    }

    private static string Cut(string text) => text.Length > MaxShown ? text[..(MaxShown + 1)] : text;
}
