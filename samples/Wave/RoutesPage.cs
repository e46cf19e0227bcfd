using Microsoft.AspNetCore.Hosting.Server;

namespace WaveSample;

/// <summary>The page at the root: what there is to measure, and which server answers.</summary>
internal static class RoutesPage
{
    public static IResult Render(IServer server) => Results.Content(
        $$"""
        <!DOCTYPE html>
        <html lang="en">
        <head>
          <meta charset="utf-8">
          <meta name="viewport" content="width=device-width, initial-scale=1">
          <title>Wave</title>
          <link rel="icon" href="data:,">
          <style>
            :root { color-scheme: light dark; background: Canvas; }
            body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
            ul { padding-left: 1.25rem; }
            code { overflow-wrap: anywhere; }
          </style>
        </head>
        <body>
          <main>
            <h1>Wave</h1>
            <ul>
              <li><a href="/plaintext">/plaintext</a> by middleware</li>
              <li><a href="/json">/json</a> by middleware</li>
              <li><a href="/mvc/plaintext">/mvc/plaintext</a> by a controller</li>
              <li><a href="/mvc/json">/mvc/json</a> by a controller</li>
            </ul>
            <p>Served by <code>{{server.GetType().Namespace}}</code>.</p>
          </main>
        </body>
        </html>

        """,
        "text/html; charset=utf-8");
}
