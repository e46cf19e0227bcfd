namespace FastCgi.SampleTests.Chat;

/// <summary>The chat also in browsers: two people at two, one of them a telephone.</summary>
public sealed class ChatBehindNginxTests(ChatBehindNginx site, Browsers browsers)
    : ChatTests(site), IClassFixture<ChatBehindNginx>
{
    private const string ConnectedState = "#state[data-state=connected]";

    /// <summary>Keeps what the page says of somebody typing: it takes that back after a while.</summary>
    private const string NoteTyping = """
        new MutationObserver(changes => changes.forEach(change => change.addedNodes.forEach(
          text => document.body.dataset.typing = text.data))).observe(document.getElementById("typing"), { childList: true });
        """;

    /// <summary>What WebDriver types for the key.</summary>
    private const string EnterKey = "\uE007";

    [Fact]
    public async Task Two_people_see_what_the_other_says_over_WebSockets()
    {
        const string Attack = "<img src=x onerror=\"document.title='run'\"> & <b>bold</b>";
        await using var zoe = await browsers.OpenAsync(Viewport.Desktop with { Height = 720 });
        await using var ada = await browsers.OpenAsync(Viewport.Phone with { Height = 720 });
        await EnterAsync(zoe, "Zoë");
        await EnterAsync(ada, "Ada");
        await zoe.WaitForTextAsync("#people", "Ada, Zoë");
        Assert.Equal("Ada came", await zoe.TextAsync(".note"));

        await ada.RunAsync(NoteTyping);
        await zoe.TypeAsync("#text", "Good morning! Is the new server up?");
        await zoe.ClickAsync("#send");
        Assert.Equal("Good morning! Is the new server up?", await ada.TextAsync("[data-name=Zoë] .text"));
        Assert.Equal("Zoë is typing …", (await ada.RunAsync("return document.body.dataset.typing")).GetString());
        await ada.TypeAsync("#text", $"Yes. Look at the state above.{EnterKey}");
        Assert.Equal("Yes. Look at the state above.", await zoe.TextAsync("[data-name=Ada] .text"));
        await zoe.TypeAsync("#text", Attack + EnterKey);
        await ada.WaitForTextAsync("[data-name=Zoë]:last-child .text", Attack);
        await ada.TypeAsync("#text", $"Shown as it was typed, not run.{EnterKey}");
        await zoe.WaitForTextAsync("[data-name=Ada]:last-child .text", "Shown as it was typed, not run.");

        foreach (var (browser, screen) in new[] { (zoe, "desktop"), (ada, "phone") })
        {
            Assert.Equal("connected by WebSockets", await browser.TextAsync(ConnectedState));
            Assert.Equal("Lobby – Chat", (await browser.RunAsync("return document.title")).GetString());
            // The WebSocket is no resource of the page, while a negotiation or a poll would be one.
            Assert.Equal(0, (await browser.RunAsync(
                "return performance.getEntriesByType('resource').filter(r => r.name.includes('/hub')).length"))
                .GetInt32());
            await browser.SaveScreenshotAsync(Repository.Artifact($"chat-{screen}.png"));
            Assert.Empty(await browser.ComplaintsAsync());
        }
    }

    [Fact]
    public async Task The_page_says_that_the_connection_is_lost_and_comes_back_into_the_room_by_itself()
    {
        await using var own = await ChatBehindNginx.StartAsync();
        await using var zoe = await browsers.OpenAsync(Viewport.Desktop);
        await EnterAsync(zoe, "Zoë", own.Address);

        await zoe.TypeAsync("#text", $"Before the restart{EnterKey}");
        await zoe.WaitForTextAsync(".own .text", "Before the restart");
        Assert.Equal(0, await own.StopAsync());
        await zoe.WaitForTextAsync("#state", "connection lost, trying again …");
        await own.StartAgainAsync();
        await zoe.WaitForTextAsync("#state", "connected by WebSockets");
        await zoe.WaitForTextAsync("#rooms [aria-current] span", "1");
        await zoe.TypeAsync("#text", $"Here again{EnterKey}");

        await zoe.WaitForTextAsync(".own:last-child .text", "Here again");
        Assert.Equal("Before the restart", await zoe.TextAsync(".own .text"));
    }

    [Fact]
    public async Task Leaving_without_a_connection_is_no_problem()
    {
        await using var own = await ChatBehindNginx.StartAsync();
        await using var zoe = await browsers.OpenAsync(Viewport.Desktop);
        await EnterAsync(zoe, "Zoë", own.Address);
        Assert.Equal(0, await own.StopAsync());
        await zoe.WaitForTextAsync("#state", "connection lost, trying again …");

        await zoe.ClickAsync("#leave");

        await zoe.WaitUntilAsync("!document.getElementById('entrance').hidden");
        Assert.Equal("", (await zoe.RunAsync("return document.getElementById('problem').textContent")).GetString());
    }

    [Fact]
    public async Task What_others_say_after_a_restart_does_not_wipe_the_conversation()
    {
        await using var own = await ChatBehindNginx.StartAsync();
        await using var zoe = await browsers.OpenAsync(Viewport.Desktop);
        await EnterAsync(zoe, "Zoë", own.Address);
        await zoe.TypeAsync("#text", $"Before the restart{EnterKey}");
        await zoe.WaitForTextAsync(".own .text", "Before the restart");

        // The page comes back last.
        await zoe.RunAsync("""
            const invoke = connection.invoke.bind(connection);
            const held = new Promise(resolve => window.comeBack = resolve);
            connection.invoke = (...values) => held.then(() => invoke(...values));
            """);
        Assert.Equal(0, await own.StopAsync());
        await own.StartAgainAsync();
        await using var ada = await ChatVisitor.ConnectAsync(aborted => ChatBehindNginx.OpenAsync(own, aborted));
        await ada.EnterAsync("Lobby", "Ada");
        await ada.SayAsync("Is anybody there?");
        await zoe.RunAsync("comeBack()");

        await zoe.WaitForTextAsync("[data-name=Ada] .text", "Is anybody there?");
        Assert.Equal("Before the restart", await zoe.TextAsync(".own .text"));
        await ada.SayAsync("There you are.");
        await zoe.WaitForTextAsync("[data-name=Ada]:last-child .text", "There you are.");
    }

    [Fact]
    public async Task A_room_in_the_address_that_is_none_does_not_stop_the_page()
    {
        await using var browser = await browsers.OpenAsync(Viewport.Desktop, new Uri(site.Address, "#%"));

        await browser.TextAsync(ConnectedState);

        Assert.Equal("Lobby", await browser.ValueAsync("#room"));
        Assert.Empty(await browser.ComplaintsAsync());
    }

    /// <summary>By the keyboard alone.</summary>
    private async Task EnterAsync(Chromium browser, string name, Uri? address = null)
    {
        await browser.OpenAsync(address ?? site.Address);
        await browser.TextAsync(ConnectedState);
        await browser.TypeAsync("#name", name + EnterKey);
        await browser.WaitForTextAsync("#room-title", "Lobby");
    }
}
