using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.MatrixApp;

/// <summary>An ordinary application, the same behind every web server.</summary>
internal static class MatrixApplication
{
    public static void Configure(WebApplication app)
    {
        app.UseWebSockets();
        app.MapGet("/ws", EchoAsync);
        MapResponses(app);
        MapGates(app);
        app.Map("/{**path}", async (HttpRequest request) => await Seen.ByAsync(request));
    }

    private static void MapResponses(WebApplication app)
    {
        app.MapGet("/redirect", (string to) => Results.Redirect(to));
        app.MapGet("/home", () => "home").WithName("home");
        app.MapGet("/go-home", () => Results.Redirect("~/home?a=%2F"));
        app.MapGet("/status/{status:int}", (int status) => Results.StatusCode(status));
        app.MapGet("/reason", SendReason);
        app.MapGet("/cookies", (HttpResponse response) =>
        {
            response.Cookies.Append("a", "1", new CookieOptions { Secure = true, SameSite = SameSiteMode.Lax });
            response.Cookies.Append("b", "2", new CookieOptions { HttpOnly = true, MaxAge = TimeSpan.FromHours(1) });
            response.Cookies.Append("c", "3");
        });
        app.MapGet("/large-head", (HttpResponse response) =>
        {
            for (var i = 0; i < MatrixContent.LargeHeadLines; i++)
            {
                response.Headers[$"X-Large-{i}"] = MatrixContent.LargeHeadLine;
            }
        });
        app.MapMethods("/file", ["GET", "HEAD"], () => Results.Bytes(
            MatrixContent.Bytes(MatrixContent.FileLength),
            entityTag: new("\"file\""),
            lastModified: MatrixContent.FileDate,
            enableRangeProcessing: true));
        app.MapMethods("/text", ["GET", "HEAD"], () => "hello");
        app.MapGet("/bytes/{length:int}", async (int length, bool hasLength, HttpResponse response) =>
        {
            response.ContentLength = hasLength ? length : null;
            await response.Body.WriteAsync(MatrixContent.Bytes(length));
        });
        app.MapPost("/refuse", () => Results.Text("too much", statusCode: StatusCodes.Status413PayloadTooLarge));
        app.MapGet("/throw", _ => throw new InvalidOperationException("The test's own."));
        app.MapPost("/stop", (IHostApplicationLifetime lifetime) => lifetime.StopApplication());
    }

    /// <summary>What goes step by step with the test, which has the other end of the gate.</summary>
    private static void MapGates(WebApplication app)
    {
        app.MapGet("/pieces", async (int gate, HttpContext context) =>
        {
            using var test = await Gate.OpenAsync(gate, context.RequestAborted);
            context.Features.GetRequiredFeature<IHttpResponseBodyFeature>().DisableBuffering();
            for (var i = 0; i < MatrixContent.Pieces; i++)
            {
                await context.Response.WriteAsync($"piece {i};");
                await context.Response.Body.FlushAsync();
                await test.WaitAsync();
            }
        });
        app.MapGet("/torn", async (int gate, bool hasLength, HttpContext context) =>
        {
            using var test = await Gate.OpenAsync(gate, context.RequestAborted);
            context.Features.GetRequiredFeature<IHttpResponseBodyFeature>().DisableBuffering();
            context.Response.ContentLength = hasLength ? 2 * MatrixContent.FileLength : null;
            await context.Response.Body.WriteAsync(MatrixContent.Bytes(MatrixContent.FileLength));
            await context.Response.Body.FlushAsync();
            await test.WaitAsync();
            context.Abort();
        });
        app.MapGet("/wait", async (int gate, HttpContext context) =>
        {
            using var test = await Gate.OpenAsync(gate, default);
            await using var left = context.RequestAborted.UnsafeRegister(_ => test.Tell(Gate.Left), null);
            test.Tell(Gate.Arrived);
            await test.WaitAsync();
        });
        app.MapGet("/download", async (int gate, HttpContext context) =>
        {
            using var test = await Gate.OpenAsync(gate, default);
            var piece = new byte[MatrixContent.DownloadPiece];
            while (!context.RequestAborted.IsCancellationRequested && !test.HasGone)
            {
                await context.Response.Body.WriteAsync(piece, CancellationToken.None);
            }

            // Not by a callback of the token: the loop may see the cancellation before it has run, and take it back.
            if (context.RequestAborted.IsCancellationRequested)
            {
                test.Tell(Gate.Left);
            }
        });
        app.MapPost("/upload", async (int gate, HttpContext context) =>
        {
            using var test = await Gate.OpenAsync(gate, default);
            test.Tell(Gate.Arrived);
            try
            {
                await context.Request.Body.CopyToAsync(Stream.Null);
                test.Tell(Gate.Ended);
            }
            catch (Exception e) when (e is IOException or OperationCanceledException)
            {
                test.Tell(Gate.Left);
            }
        });
    }

    private static async Task EchoAsync(HttpContext context)
    {
        if (!context.WebSockets.IsWebSocketRequest)
        {
            context.Response.StatusCode = StatusCodes.Status400BadRequest;
            return;
        }

        using var socket = await context.WebSockets.AcceptWebSocketAsync();
        var buffer = new byte[1024];
        while (await socket.ReceiveAsync(buffer, context.RequestAborted) is { CloseStatus: null } received)
        {
            await socket.SendAsync(
                buffer.AsMemory(0, received.Count), received.MessageType, received.EndOfMessage, context.RequestAborted);
        }

        await socket.CloseAsync(socket.CloseStatus!.Value, socket.CloseStatusDescription, CancellationToken.None);
    }

    private static void SendReason(HttpContext context)
    {
        context.Response.StatusCode = 299;
        context.Features.GetRequiredFeature<IHttpResponseFeature>().ReasonPhrase = "Quite Good";
    }
}
