namespace CounterSample.Hosting;

/// <summary>Razor components answer GET; who asks for the head alone gets what GET has.</summary>
internal static class HeadRequests
{
    public static void UseHead(this WebApplication app) => app.Use(static async (context, next) =>
    {
        if (!HttpMethods.IsHead(context.Request.Method))
        {
            await next(context);
            return;
        }

        context.Request.Method = HttpMethods.Get;
        context.Response.Body = Stream.Null;
        try
        {
            await next(context);
        }
        finally
        {
            context.Request.Method = HttpMethods.Head;
        }
    });
}
