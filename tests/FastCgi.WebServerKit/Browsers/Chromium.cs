using System.Text.Json;
using Xunit.Sdk;

namespace FastCgi.WebServerKit.Browsers;

/// <summary>
/// A headless Chromium with a profile of its own, used as a person does: elements are found by CSS selector, waited
/// for, scrolled to and clicked where they are. It is the one without windows and menus, which takes a quarter of the
/// processor time to start.
/// </summary>
internal sealed class Chromium : IAsyncDisposable
{
    /// <summary>What WebDriver calls the reference to an element.</summary>
    private const string ElementKey = "element-6066-11e4-a52e-4f735466cecf";

    /// <summary>How long the browser waits for an element to appear.</summary>
    private static readonly TimeSpan _appearance = TimeSpan.FromSeconds(30);

    /// <summary>How long a page looks by itself for what is awaited.</summary>
    private static readonly TimeSpan _look = TimeSpan.FromMilliseconds(500);

    private readonly WorkDirectory _directory;
    private readonly ChromeDriver _driver;
    private string _session = "";

    private Chromium(WorkDirectory directory, ChromeDriver driver)
    {
        _directory = directory;
        _driver = driver;
    }

    /// <summary>What becomes of the browser after its use. Null ends it.</summary>
    public Func<Chromium, Task>? Returned { private get; set; }

    private string ScriptCommand => $"session/{_session}/execute/sync";

    /// <summary>Skips the test where Chromium is not installed, and fails it on a build machine.</summary>
    public static async Task<Chromium> StartAsync(Viewport viewport)
    {
        var program = InstalledProgram.Find("chromium-headless-shell");
        var directory = new WorkDirectory();
        ChromeDriver? driver = null;
        try
        {
            driver = await ChromeDriver.StartAsync(directory);
            var chromium = new Chromium(directory, driver);
            var capabilities = Capabilities(program, viewport, directory);
            var session = await driver.SendAsync(HttpMethod.Post, "session", capabilities);
            chromium._session = session.GetProperty("sessionId").GetString()!;
            await chromium.ResizeAsync(viewport);
            return chromium;
        }
        catch
        {
            if (driver is not null)
            {
                await driver.DisposeAsync();
            }

            directory.Dispose();
            throw;
        }
    }

    /// <summary>Starts it on a page.</summary>
    public static async Task<Chromium> StartAsync(Viewport viewport, Uri page)
    {
        var chromium = await StartAsync(viewport);
        await chromium.OpenAsync(page);
        return chromium;
    }

    /// <summary>Ends what was open, and forgets what sites have stored. The new tab has no size and no session.</summary>
    public async Task RenewAsync()
    {
        var tab = await PostAsync("window/new", new { type = "tab" });
        await _driver.SendAsync(HttpMethod.Delete, $"session/{_session}/window");
        await PostAsync("window", new { handle = tab.GetProperty("handle").GetString() });
        await CommandAsync("Network.clearBrowserCookies", new { });
        await CommandAsync("Network.clearBrowserCache", new { });
        await CommandAsync("Storage.clearDataForOrigin", new { origin = "*", storageTypes = "all" });
        await ComplaintsAsync();
    }

    public Task OpenAsync(Uri address) => PostAsync("url", new { url = address });

    /// <summary>The address of the page that is shown.</summary>
    public async Task<Uri> AddressAsync() => new((await GetAsync("url")).GetString()!);

    /// <summary>Clicks what changes this page; <see cref="FollowAsync"/> is for what leads to another.</summary>
    public async Task ClickAsync(string selector) => await PostAsync($"{await FindAsync(selector)}/click", new { });

    /// <summary>Clicks what leads to another page, perhaps of the same address, and waits for that page.</summary>
    public async Task FollowAsync(string selector)
    {
        await RunAsync("document.documentElement.dataset.left = ''");
        await ClickAsync(selector);
        await ArriveAsync(selector);
    }

    /// <summary>Replaces what stands in a field.</summary>
    public async Task TypeAsync(string selector, string text)
    {
        var field = await FindAsync(selector);
        await PostAsync($"{field}/clear", new { });
        await PostAsync($"{field}/value", new { text });
    }

    /// <summary>Chooses in a list by what the visitor reads there.</summary>
    public async Task ChooseAsync(string selector, string text) =>
        await PostAsync($"{await FindAsync(selector)}/value", new { text });

    /// <summary>Types without replacing what is there, or names the file of a field for files.</summary>
    public async Task AppendAsync(string selector, string text) =>
        await PostAsync($"{await FindAsync(selector)}/value", new { text });

    /// <summary>The text as it is seen.</summary>
    public async Task<string> TextAsync(string selector) =>
        (await GetAsync($"{await FindAsync(selector)}/text")).GetString()!;

    /// <summary>Waits until the text is there.</summary>
    public Task WaitForTextAsync(string selector, string text) => WaitForTextAsync(selector, "===", text);

    /// <summary>Waits until another text is there.</summary>
    /// <returns>That text.</returns>
    public async Task<string> WaitForOtherTextAsync(string selector, string text) =>
        (await WaitForTextAsync(selector, "!==", text)).GetString()!;

    /// <summary>Waits until a condition of JavaScript holds.</summary>
    public Task WaitUntilAsync(string condition) => WaitAsync($"Boolean({condition})", "seen", condition);

    /// <summary>What stands in a field.</summary>
    public async Task<string> ValueAsync(string selector) =>
        (await GetAsync($"{await FindAsync(selector)}/property/value")).GetString()!;

    /// <summary>Runs JavaScript, which may <c>return</c> a value.</summary>
    public Task<JsonElement> RunAsync(string script) =>
        _driver.SendAsync(HttpMethod.Post, ScriptCommand, Script(script));

    /// <summary>Runs JavaScript on this page, and on every page to come until <see cref="RenewAsync"/>.</summary>
    public async Task AddScriptAsync(string script)
    {
        await RunAsync(script);
        await CommandAsync("Page.addScriptToEvaluateOnNewDocument", new { source = script });
    }

    /// <summary>The warnings and errors that are new on the browser's console, such as a file that it could not load.</summary>
    public async Task<IReadOnlyList<string>> ComplaintsAsync()
    {
        var entries = await PostAsync("se/log", new { type = "browser" });
        return [.. entries.EnumerateArray()
            .Where(entry => entry.GetProperty("level").GetString() is not ("INFO" or "DEBUG"))
            .Select(entry => entry.GetProperty("message").GetString()!)];
    }

    /// <summary>A PNG of what the window shows.</summary>
    public async Task SaveScreenshotAsync(string file) =>
        await File.WriteAllBytesAsync(file, (await GetAsync("screenshot")).GetBytesFromBase64());

    /// <summary>A picture of the page from its top, also of what the window does not show.</summary>
    /// <param name="maxHeight">What lies deeper is left out.</param>
    public async Task SavePageAsync(string file, int maxHeight)
    {
        var size = await RunAsync(
            "const { clientWidth, scrollHeight } = document.documentElement; return [clientWidth, scrollHeight]");
        var picture = await CommandAsync("Page.captureScreenshot", new
        {
            format = Path.GetExtension(file) == ".webp" ? "webp" : "png",
            quality = 60,
            captureBeyondViewport = true,
            clip = new
            {
                x = 0,
                y = 0,
                width = size[0].GetInt32(),
                height = Math.Min(size[1].GetInt32(), maxHeight),
                scale = 1,
            },
        });
        await File.WriteAllBytesAsync(file, picture.GetProperty("data").GetBytesFromBase64());
    }

    /// <summary>A window has a frame and a least width; the page gets exactly this size all the same.</summary>
    public Task ResizeAsync(Viewport viewport) => CommandAsync("Emulation.setDeviceMetricsOverride", new
    {
        width = viewport.Width,
        height = viewport.Height,
        deviceScaleFactor = viewport.IsPhone ? 2 : 1,
        mobile = viewport.IsPhone,
    });

    /// <summary>What <c>prefers-color-scheme</c> says.</summary>
    public Task PreferColoursAsync(bool dark) => CommandAsync("Emulation.setEmulatedMedia", new
    {
        features = new[] { new { name = "prefers-color-scheme", value = dark ? "dark" : "light" } },
    });

    public async ValueTask DisposeAsync() => await (Returned?.Invoke(this) ?? EndAsync());

    public async Task EndAsync()
    {
        try
        {
            await _driver.SendAsync(HttpMethod.Delete, $"session/{_session}");
        }
        finally
        {
            await _driver.DisposeAsync();
            _directory.Dispose();
        }
    }

    private static object Capabilities(string program, Viewport viewport, WorkDirectory directory) => new
    {
        capabilities = new
        {
            alwaysMatch = new Dictionary<string, object>
            {
                ["browserName"] = "chrome-headless-shell",
                ["timeouts"] = new { @implicit = (int)Deadline.Of(_appearance).TotalMilliseconds },
                ["goog:loggingPrefs"] = new { browser = "ALL" },
                ["goog:chromeOptions"] = new { binary = program, args = Arguments(viewport, directory) },
            },
        },
    };

    private static string[] Arguments(Viewport viewport, WorkDirectory directory)
    {
        // Nothing but the page under test is asked for, and nothing glides: a click lands where the element is.
        string[] arguments =
        [
            "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
            "--no-proxy-server", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
            // No page is open for long: optimized scripts, a renderer in reserve, and a process that draws, cost more.
            "--js-flags=--no-opt --no-maglev", "--disable-features=SpareRendererForSitePerProcess", "--in-process-gpu",
            "--force-prefers-reduced-motion", $"--user-data-dir={directory.File("profile")}",
            $"--window-size={viewport.Width},{viewport.Height}",
        ];
        // Chromium's sandbox refuses to run as root.
        return Environment.IsPrivilegedProcess ? [.. arguments, "--no-sandbox"] : arguments;
    }

    /// <summary>The new page lacks the mark.</summary>
    private Task<JsonElement> ArriveAsync(string selector)
    {
        const string HasArrived =
            "document.readyState === 'complete' && !('left' in document.documentElement.dataset)";
        return WaitAsync("location.href", HasArrived, $"the page that {selector} leads to");
    }

    /// <summary>It is one command, since a page that changes may replace an element that was found before.</summary>
    private Task<JsonElement> WaitForTextAsync(string selector, string comparison, string text) => WaitAsync(
        $"document.querySelector({JsonSerializer.Serialize(selector)})?.innerText",
        $"seen !== undefined && seen {comparison} {JsonSerializer.Serialize(text)}",
        $"{comparison} {text} in {selector}");

    /// <summary>
    /// Waits until a condition holds. The page looks for a while by itself, so that nobody spins; then it is asked
    /// again, and so is the next page when this one goes.
    /// </summary>
    /// <param name="value">What the condition knows as <c>seen</c>, in JavaScript.</param>
    /// <returns>The value for which the condition held.</returns>
    private async Task<JsonElement> WaitAsync(string value, string condition, string awaited)
    {
        var script = $$"""
            const until = performance.now() + {{_look.TotalMilliseconds}};
            return new Promise((done, fail) => (function look() {
                try {
                    const seen = {{value}}, holds = {{condition}};
                    holds || performance.now() > until ? done([holds, seen]) : setTimeout(look, 10);
                } catch (error) { fail(error); }
            })());
            """;
        JsonElement seen = default;
        async Task<JsonElement> LookAsync()
        {
            var holds = false;
            while (!holds)
            {
                if (await _driver.TrySendAsync(HttpMethod.Post, ScriptCommand, Script(script)) is { } answer)
                {
                    (holds, seen) = (answer[0].GetBoolean(), answer[1]);
                }
            }

            return seen;
        }

        return await ShowingPageAsync(LookAsync().Within(awaited, () => seen.ToString(), _appearance));
    }

    /// <summary>A failure of the task says which page the browser showed.</summary>
    private async Task<JsonElement> ShowingPageAsync(Task<JsonElement> task)
    {
        try
        {
            return await task;
        }
        catch (XunitException failure)
        {
            throw FailException.ForFailure($"{failure.Message} {await DescribePageAsync()}");
        }
    }

    /// <summary>For the message of a failure, which it never replaces by one of its own.</summary>
    private async Task<string> DescribePageAsync()
    {
        try
        {
            var picture = Repository.Artifact("page-that-waits.png");
            await SaveScreenshotAsync(picture);
            return $"The page ({picture}): {await RunAsync("return location.href + '\\n' + document.body.innerText")}";
        }
        catch (Exception exception)
        {
            return $"The page cannot be asked: {exception.Message}";
        }
    }

    private static object Script(string script) => new { script, args = Array.Empty<object>() };

    private async Task<string> FindAsync(string selector)
    {
        var element = await ShowingPageAsync(PostAsync("element", new { @using = "css selector", value = selector }));
        return $"element/{element.GetProperty(ElementKey).GetString()}";
    }

    /// <summary>Sends a command of the Chrome DevTools Protocol.</summary>
    private Task<JsonElement> CommandAsync(string name, object parameters) =>
        PostAsync("goog/cdp/execute", new { cmd = name, @params = parameters });

    private Task<JsonElement> GetAsync(string command) =>
        _driver.SendAsync(HttpMethod.Get, $"session/{_session}/{command}");

    private Task<JsonElement> PostAsync(string command, object body) =>
        _driver.SendAsync(HttpMethod.Post, $"session/{_session}/{command}", body);
}
