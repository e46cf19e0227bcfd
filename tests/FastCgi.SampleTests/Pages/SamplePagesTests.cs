using FastCgi.SampleTests.Chat;
using FastCgi.SampleTests.Shop;

namespace FastCgi.SampleTests.Pages;

/// <summary>Every page of every sample in every state, as <see cref="PageWalk"/> looks at it.</summary>
public sealed class SamplePagesTests(Browsers browsers) : IDisposable
{
    /// <summary>What WebDriver types for the key.</summary>
    private const string EnterKey = "\uE007";

    private static readonly string _long = string.Join(' ', Enumerable.Repeat("Donaudampfschifffahrtsgesellschaft", 12));

    private readonly WorkDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task Hello()
    {
        await using var site = await SampleProgram.StartBehindNginxAsync("Hello");
        await using var walk = await WalkAsync("Hello", site);
        await walk.OpenAsync("?q=1");
        await walk.LookAsync("before");
        await walk.Browser.TypeAsync("[name=name]", "Zoë & Ada <b>");
        await walk.Browser.TypeAsync("[name=message]", _long);
        await walk.Browser.FollowAsync("button");
        Assert.Contains("Zoë & Ada <b>", await walk.Browser.TextAsync("#posted"), StringComparison.Ordinal);
        await walk.LookAsync("sent");
        await walk.OpenAsync("nowhere");
        await walk.LookAsync("no such page", StatusCodes.Status404NotFound);

        using var form = new FormUrlEncodedContent(
            Enumerable.Range(0, 2_000).Select(static i => KeyValuePair.Create($"f{i}", "x")));
        using var refused = await site.Client.PostAsync(new Uri("", UriKind.Relative), form).Within("the refusal");
        Assert.Equal(HttpStatusCode.BadRequest, refused.StatusCode);
        await site.Log.WaitForAsync("A form was refused: Form value count limit");
        await EndAsync(walk, site);
    }

    [Fact]
    public async Task Form()
    {
        await using var site = await SampleProgram.StartBehindNginxAsync("Form");
        await using var walk = await WalkAsync("Form", site);
        await walk.OpenAsync("");
        Assert.Equal("\"Nothing yet.\"", (await walk.Browser.RunAsync(
            "return getComputedStyle(document.querySelector('#posted'), '::before').content")).GetString());
        await walk.LookAsync("empty");
        await walk.Browser.TypeAsync("[name=data]", _long);
        await walk.Browser.FollowAsync("button");
        Assert.Equal($"data: {_long}", await walk.Browser.TextAsync("#posted"));
        await walk.LookAsync("sent");

        // More fields than are read.
        await walk.Browser.RunAsync(
            "for (let i = 0; i < 2000; i++) document.forms[0].append(document.querySelector('[name=data]').cloneNode())");
        await walk.Browser.FollowAsync("button");
        Assert.StartsWith(
            "The form has more fields", await walk.Browser.TextAsync("#problem"), StringComparison.Ordinal);
        await walk.LookAsync("too many fields", StatusCodes.Status400BadRequest);
        await site.Log.WaitForAsync("A form was refused: The form has more fields");

        await using var busy = await SampleProgram.StartBehindNginxAsync(
            "Form", arguments: ["--Requests:MaxConcurrent", "1", "--Requests:QueueLimit", "0"]);
        await walk.Browser.OpenAsync(busy.Address);
        await using var unfinished = await HoldPlaceAsync(busy).Within("the only place to be taken");
        await walk.Browser.FollowAsync("button");
        Assert.StartsWith(
            "There are too many requests.", await walk.Browser.TextAsync("#problem"), StringComparison.Ordinal);
        await walk.LookAsync("too many requests", StatusCodes.Status503ServiceUnavailable);
        await EndAsync(walk, site);
    }

    [Theory]
    [InlineData("fastcgi", "fastcgi", "nginx.conf")]
    [InlineData("kestrel", "http", "nginx-kestrel.conf")]
    public async Task Wave(string server, string scheme, string nginxFile)
    {
        await using var site = await SampleProgram.StartBehindNginxAsync("Wave", nginxFile, scheme, "--server", server);
        await using var walk = await WalkAsync($"Wave-{server}", site);
        await walk.OpenAsync("");
        await walk.LookAsync("routes");
        await EndAsync(walk, site);
    }

    [Fact]
    public async Task Mvc()
    {
        await using var site = await SampleProgram.StartBehindNginxAsync(
            "Mvc", arguments: ["--environment", "Development", "--data", _directory.File("data")]);
        await using var walk = await WalkAsync("Mvc", site);
        await walk.OpenAsync("");
        await walk.LookAsync("home");

        await walk.OpenAsync("account");
        await walk.LookAsync("sign in");
        await walk.Browser.FollowAsync(".fields button");
        await walk.LookAsync("sign in, nothing entered", wrong: ["UserName", "Password"]);
        await walk.Browser.TypeAsync("#UserName", "demo");
        await walk.Browser.TypeAsync("#Password", "wrong");
        await walk.Browser.FollowAsync(".fields button");
        Assert.Equal("User name or password is wrong.", await walk.Browser.TextAsync("#sign-in-problem"));
        await walk.LookAsync("sign in, wrong password");
        await walk.Browser.TypeAsync("#Password", "fastcgi");
        await walk.Browser.FollowAsync(".fields button");
        await walk.LookAsync("account");

        await walk.OpenAsync("notes");
        await walk.Browser.FollowAsync(".note .delete");
        await walk.LookAsync("delete a note");
        await walk.Browser.FollowAsync(".choice button");
        Assert.Equal("Nobody has written a note yet. Yours can be the first.", await walk.Browser.TextAsync(".empty"));
        await walk.LookAsync("no notes");
        await walk.Browser.TypeAsync("#Input_Website", "nowhere");
        await walk.Browser.FollowAsync(".fields button");
        await walk.LookAsync("a wrong note", wrong: ["Input_Author", "Input_Website", "Input_Text"]);
        await walk.Browser.TypeAsync("#Input_Author", "Zoë");
        await walk.Browser.TypeAsync("#Input_Website", "https://example.org/");
        await walk.Browser.TypeAsync("#Input_Text", _long.Replace(" ", "", StringComparison.Ordinal));
        await walk.Browser.FollowAsync(".fields button");
        Assert.Equal("Thank you, Zoë.", await walk.Browser.TextAsync(".message"));
        await walk.LookAsync("a note");

        await walk.OpenAsync("files");
        Assert.Equal("Nothing here yet.", await walk.Browser.TextAsync(".empty"));
        await walk.LookAsync("no files");
        await walk.Browser.RunAsync("document.querySelector('[name=file]').required = false");
        await walk.Browser.FollowAsync(".fields button");
        await walk.LookAsync("no file chosen", wrong: ["file"]);
        var file = _directory.File($"{_long[..100].Replace(' ', '-')}.txt");
        await File.WriteAllTextAsync(file, "Anything");
        await walk.Browser.AppendAsync("[name=file]", file);
        await walk.Browser.FollowAsync(".fields button");
        await walk.LookAsync("a file");
        await walk.Browser.FollowAsync(".files .delete");
        await walk.LookAsync("delete a file");

        await walk.OpenAsync("nowhere");
        await walk.LookAsync("no such page", StatusCodes.Status404NotFound);
        await walk.OpenAsync("fail");
        await walk.LookAsync("failure", StatusCodes.Status500InternalServerError);
        await EndAsync(walk, site);
    }

    [Fact]
    public async Task Shop()
    {
        await using var site = await SampleProgram.StartBehindNginxAsync(
            "Shop", arguments: ["--environment", "Development", "--data", _directory.File("data")]);
        await using var walk = await WalkAsync("Shop", site);
        await walk.OpenAsync("");
        await walk.LookAsync("home");
        await walk.Browser.ResizeAsync(Viewport.Phone);
        await walk.OpenAsync("category/living");
        Assert.True(
            (await walk.Browser.RunAsync(
                "return document.querySelector('.departments [aria-current]').getBoundingClientRect().right <= innerWidth"))
            .GetBoolean(),
            "The current department is out of sight.");
        await walk.LookAsync("category");
        await walk.OpenAsync("item/hammock");
        Assert.Equal("Sold out. It will be back.", await walk.Browser.TextAsync(".stock"));
        await walk.LookAsync("sold out");
        await walk.OpenAsync("search");
        await walk.LookAsync("search, no words");
        await walk.OpenAsync("search?q=linen");
        await walk.LookAsync("search");
        await walk.OpenAsync($"search?q={_long.Split(' ')[0]}");
        Assert.Equal(
            "Try fewer or shorter words, or look at everything.", await walk.Browser.TextAsync(".page-head p"));
        await walk.LookAsync("search, nothing found");
        await walk.OpenAsync("basket");
        Assert.Equal(
            "There is nothing in it yet. Have a look around.", await walk.Browser.TextAsync(".empty"));
        await walk.LookAsync("empty basket");

        await walk.OpenAsync("item/field-compass");
        await walk.LookAsync("item");
        await walk.Browser.FollowAsync("#add");
        await walk.OpenAsync("item/wicker-basket");
        await walk.Browser.FollowAsync("#add");
        await walk.LookAsync("basket");
        await walk.Browser.FollowAsync("#checkout");
        await walk.LookAsync("checkout");
        await walk.Browser.TypeAsync("#Form_Email", "nowhere");
        await walk.Browser.FollowAsync("#order");
        await walk.LookAsync("a wrong order", wrong:
            ["Form_Name", "Form_Email", "Form_Street", "Form_Postcode", "Form_City", "Form_Country"]);
        await ShopVisitor.FillInAsync(walk.Browser);
        await walk.Browser.FollowAsync("#order");
        Assert.Equal("Thank you, Zoë Müller.", await walk.Browser.TextAsync("h1"));
        await walk.LookAsync("order");
        await walk.OpenAsync("item/nothing");
        await walk.LookAsync("no such page", StatusCodes.Status404NotFound);
        await SqliteFile.ExecuteAsync(_directory.File("data/shop.db"), "ALTER TABLE baskets RENAME TO away");
        await walk.OpenAsync("basket");
        Assert.Equal("Something broke on our side.", await walk.Browser.TextAsync("h1"));
        await walk.LookAsync("failure", StatusCodes.Status500InternalServerError);
        await EndAsync(walk, site);
    }

    [Fact]
    public async Task Chat()
    {
        await using var site = await ChatBehindNginx.StartAsync();
        await using var walk = await WalkAsync("Chat", site);
        await walk.OpenAsync("nowhere");
        await walk.LookAsync("no such page", StatusCodes.Status404NotFound);
        await walk.OpenAsync("");
        await walk.Browser.WaitForTextAsync("#state", "connected by WebSockets");
        await walk.Browser.TextAsync("#rooms li");
        await walk.LookAsync("entrance");
        await walk.Browser.TypeAsync("#name", $" {EnterKey}");
        await walk.Browser.WaitUntilAsync("document.querySelector('#problem').textContent");
        await walk.LookAsync("no name", wrong: ["name"]);
        await walk.Browser.TypeAsync("#name", $"Zoë{EnterKey}");
        await walk.Browser.WaitForTextAsync("#people", "Nobody else is here.");
        await walk.LookAsync("alone");

        await using var ada = await ChatVisitor.ConnectAsync(aborted => ChatBehindNginx.OpenAsync(site, aborted));
        await ada.EnterAsync("Lobby", "Ada");
        await ada.SayAsync(_long.Replace(" ", "", StringComparison.Ordinal));
        await walk.Browser.TypeAsync("#text", $"Good morning!{EnterKey}");
        await walk.Browser.WaitForTextAsync(".own .text", "Good morning!");
        await walk.LookAsync("conversation");
        Assert.Equal(0, await site.StopAsync());
        await walk.Browser.WaitForTextAsync("#state", "connection lost, trying again …");
        await walk.LookAsync("connection lost", complaints: ["WebSocket connection"]);
        await EndAsync(walk, site);
    }

    [Fact]
    public async Task Counter()
    {
        await using var site = await SampleProgram.StartBehindNginxAsync(
            "Counter", scheme: "scgi", arguments: ["--Data", _directory.File("data")]);
        await using var walk = await WalkAsync("Counter", site);
        await walk.OpenAsync("");
        await walk.LookAsync("home");
        await walk.OpenAsync("counter");
        await walk.Browser.ClickAsync("#click:enabled");
        await walk.Browser.WaitForTextAsync("#count", "1");
        await walk.LookAsync("counter");
        await walk.OpenAsync("live");
        await walk.Browser.WaitForTextAsync("#pages", "1");
        await site.Log.WaitForAsync("A live page connected; there are 1.");
        await walk.LookAsync("live");
        await walk.OpenAsync("nowhere");
        await walk.LookAsync("no such page", StatusCodes.Status404NotFound);
        await walk.OpenAsync("live");
        await walk.Browser.WaitForTextAsync("#pages", "1");
        Assert.Equal(0, await site.StopAsync());
        await walk.Browser.WaitUntilAsync("document.querySelector('.components-reconnect-show .lost')");
        // Blazor tries to connect, and the page asks whether the server is back.
        string[] lost = ["blazor", "status of 503"];
        // The page is inert, with its heading.
        string[] inert = ["page-has-heading-one", "landmark-one-main"];
        await walk.LookAsync("connection lost", complaints: lost, without: inert);
        await walk.Browser.RunAsync(
            "document.querySelector('#components-reconnect-modal').className = 'components-reconnect-failed'");
        await walk.LookAsync("connection gone", complaints: lost, without: inert);
        await EndAsync(walk, site);
    }

    [Fact]
    public async Task CrudApi()
    {
        await using var site = await SampleProgram.StartBehindNginxAsync(
            "CrudApi", arguments: ["--data", _directory.File("data")]);
        await using var walk = await WalkAsync("CrudApi", site, foreign: ".swagger-ui .opblock");
        await walk.OpenAsync("");
        await walk.Browser.TextAsync("#operations-tag-posts");
        await walk.LookAsync("tables");
        await walk.Browser.ClickAsync("#queries li:nth-child(2) a");
        Assert.Contains("Hello", await walk.Browser.TextAsync("#answer pre"), StringComparison.Ordinal);
        await walk.LookAsync("a query");
        await walk.Browser.ClickAsync("#operations-tag-posts");
        await walk.Browser.ClickAsync(".opblock-get .opblock-summary-path[data-path='/posts/{keys}']");
        await walk.Browser.ClickAsync(".try-out__btn");
        await walk.Browser.ClickAsync(".execute");
        await walk.Browser.TextAsync(".live-responses-table .highlight-code");
        await walk.LookAsync("a record");

        var database = $"Data Source={_directory.File("empty.db")}";
        await using var empty = await SampleProgram.StartBehindNginxAsync(
            "CrudApi", arguments: ["--ConnectionStrings:Database", database]);
        await walk.Browser.OpenAsync(empty.Address);
        Assert.StartsWith("There are no tables yet.", await walk.Browser.TextAsync("#answer p"), StringComparison.Ordinal);
        await walk.LookAsync("no tables");
        await walk.Browser.RunAsync("return run('/nothing')");
        await walk.LookAsync("no such table", complaints: ["status of 404"]);

        await using var guarded = await SampleProgram.StartBehindNginxAsync(
            "CrudApi", arguments: ["--data", _directory.File("guarded"), "--Api:Key", "of-the-test"]);
        await walk.Browser.OpenAsync(guarded.Address);
        await walk.Browser.ClickAsync("#queries li a");
        Assert.Contains("Choose “Authorize”", await walk.Browser.TextAsync("#answer .error"), StringComparison.Ordinal);
        await walk.LookAsync("without the key", complaints: ["status of 401"]);
        await EndAsync(walk, site, "application/problem+json");
    }

    /// <summary>
    /// An upload that does not end takes the only place: others are refused. While the browser, or a request that asks
    /// for the place, has it, the upload itself is refused, and another one comes.
    /// </summary>
    private static async Task<RawHttpClient> HoldPlaceAsync(ProcessSite site)
    {
        while (true)
        {
            var upload = await site.ConnectAsync();
            await upload.SendAsync("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\ndata=");
            for (var end = upload.ReadLineAsync(); !end.IsCompleted;)
            {
                using var answer = await site.Client.GetAsync(new Uri("", UriKind.Relative));
                if (answer.StatusCode == HttpStatusCode.ServiceUnavailable)
                {
                    return upload;
                }
            }

            await upload.DisposeAsync();
        }
    }

    private async Task<PageWalk> WalkAsync(string sample, ProcessSite site, string foreign = ".foreign") =>
        new(await browsers.OpenAsync(Viewport.Desktop), sample, site.Address) { Foreign = foreign };

    /// <summary>Ends a walk with the page that nginx has while the application is down.</summary>
    private static async Task EndAsync(PageWalk walk, ProcessSite site, string mediaType = "text/html")
    {
        Assert.Equal(0, await site.StopAsync());
        // Without a page that the browser has kept, and without what the last one still says on the console.
        await walk.Browser.RenewAsync();
        await walk.OpenAsync("");
        Assert.Equal("One moment, please.", await walk.Browser.TextAsync("h1"));
        await walk.LookAsync("restarting", StatusCodes.Status503ServiceUnavailable);
        using var answer = await site.Client.GetAsync(new Uri("", UriKind.Relative)).Within("an answer of nginx");
        Assert.Equal(
            (TimeSpan.FromSeconds(5), mediaType),
            (answer.Headers.RetryAfter?.Delta, answer.Content.Headers.ContentType?.MediaType));
        await walk.EndAsync();
    }
}
