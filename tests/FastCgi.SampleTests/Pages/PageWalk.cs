using Deque.AxeCore.Commons;

namespace FastCgi.SampleTests.Pages;

/// <summary>
/// A visit to all pages of a sample. Each is looked at in two widths, light and dark; <see cref="EndAsync"/> fails the
/// test for what a picture would show wrong, and pictures are taken where they are wanted.
/// </summary>
internal sealed class PageWalk(Chromium browser, string sample, Uri site) : IAsyncDisposable
{
    private static readonly string _inspection = ReadInspection();

    private static readonly string _axe = new BundledAxeScriptProvider().GetScript();

    private readonly PictureFolder? _pictures = PictureFolder.Of(sample);
    private readonly List<string> _faults = [];

    /// <summary>Selects what comes out of a library: its colours and names are not looked at.</summary>
    public string Foreign { get; init; } = ".foreign";

    public Chromium Browser => browser;

    public Task OpenAsync(string path) => Browser.OpenAsync(new Uri(site, path));

    /// <summary>Looks at what the browser shows.</summary>
    /// <param name="state">Names the picture.</param>
    /// <param name="status">Of the page. If it is an error, the console has a line about it.</param>
    /// <param name="complaints">Parts of the lines that the console may have in this state.</param>
    /// <param name="without">Rules of axe that this state cannot follow.</param>
    /// <param name="wrong">The ids of the fields that the page calls wrong, in their order.</param>
    public async Task LookAsync(
        string state,
        int status = StatusCodes.Status200OK,
        string[]? complaints = null,
        string[]? without = null,
        params string[] wrong)
    {
        _pictures?.Begin(state);
        foreach (var look in Look.All)
        {
            await Browser.ResizeAsync(look.Viewport);
            await Browser.PreferColoursAsync(look.IsDark);
            var seen = await Browser.RunAsync($"{_inspection}\nreturn inspect({look.Viewport.Width}, '{Foreign}');");
            if (_pictures is not null)
            {
                await _pictures.TakeAsync(Browser, state, look);
            }

            var found = await FindByAxeAsync(without ?? [], seen.GetProperty("isRecoloured").GetBoolean());
            _faults.AddRange(found.Select(fault => $"{state}, {look.Name}: {fault}"));
            _faults.AddRange(seen.GetProperty("faults").EnumerateArray()
                .Select(fault => $"{state}, {look.Name}: {fault.GetString()}"));
            Assert.Equal(status, seen.GetProperty("status").GetInt32());
            Assert.Equal(wrong, seen.GetProperty("wrong").EnumerateArray().Select(field => field.GetString()));
        }

        _pictures?.End();
        complaints ??= status == StatusCodes.Status200OK ? [] : [$"status of {status}"];
        _faults.AddRange((await Browser.ComplaintsAsync())
            .Where(heard => !complaints.Any(part => heard.Contains(part, StringComparison.Ordinal)))
            .Select(heard => $"{state}: {heard}"));
    }

    /// <summary>Writes the contact sheet, if pictures are taken, and fails the test if anything was wrong.</summary>
    public async Task EndAsync()
    {
        if (_pictures is not null)
        {
            await _pictures.WriteSheetAsync(Browser);
        }

        Assert.True(_faults.Count == 0, string.Join('\n', _faults));
    }

    public ValueTask DisposeAsync() => browser.DisposeAsync();

    /// <summary>Violations of accessibility that axe finds: the rules of WCAG 2.2, and good practice.</summary>
    /// <param name="without">The rules that are left out.</param>
    /// <param name="isRecoloured">
    /// True if only colours have changed since the last look at the page. Then only rules about colours run: the others
    /// would find the same again.
    /// </param>
    private async Task<string[]> FindByAxeAsync(string[] without, bool isRecoloured)
    {
        if (!(await Browser.RunAsync("return 'startAxe' in window;")).GetBoolean())
        {
            await Browser.AddScriptAsync($"window.startAxe = () => {{ {_axe} }};");
        }

        var found = await Browser.RunAsync(
            $$"""
            'axe' in window || startAxe();
            document.getAnimations().filter(animation => animation.effect.getTiming().iterations !== Infinity)
                .forEach(animation => animation.finish());
            const page = { exclude: [...document.querySelectorAll('{{Foreign}}')] };
            const rules = {{JsonSerializer.Serialize(without)}}.map(rule => [rule, { enabled: false }]);
            const options = { rules: Object.fromEntries(rules), resultTypes: ['violations'], selectors: false };
            if ({{JsonSerializer.Serialize(isRecoloured)}}) {
                options.runOnly = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };
            }
            return axe.run(page, options).then(result => result.violations
                .flatMap(rule => rule.nodes.map(node => `axe: ${rule.id} (${rule.impact}): ${node.html}`)));
            """);
        return [.. found.EnumerateArray().Select(static fault => fault.GetString()!)];
    }

    private static string ReadInspection()
    {
        using var stream = typeof(PageWalk).Assembly.GetManifestResourceStream("inspect.js")!;
        using var reader = new StreamReader(stream);
        return reader.ReadToEnd();
    }
}
