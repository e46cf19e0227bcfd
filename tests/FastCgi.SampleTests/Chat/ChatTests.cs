using ChatSample;
using ChatSample.Rooms;
using Microsoft.AspNetCore.SignalR;

namespace FastCgi.SampleTests.Chat;

/// <summary>What the Chat sample does, asked of whatever serves it. Each test has a room of its own.</summary>
public abstract class ChatTests(IChatSite site)
{
    [Fact]
    public async Task What_one_says_everybody_in_the_room_hears_in_order()
    {
        await using var zoe = await ChatVisitor.EnterAsync(site, "order", "Zoë");
        await using var ada = await ChatVisitor.EnterAsync(site, "order", "Ada");
        Assert.Equal("Ada", await zoe.NextCameAsync());

        await zoe.SayAsync("  Grüße, 世界 😀 <b>&</b>\nsecond line ");
        await ada.SayAsync("Hello");

        foreach (var visitor in new[] { zoe, ada })
        {
            var first = await visitor.NextSaidAsync();
            var second = await visitor.NextSaidAsync();
            Assert.Equal(("Zoë", "Grüße, 世界 😀 <b>&</b>\nsecond line"), (first.Name, first.Text));
            Assert.Equal(("Ada", "Hello"), (second.Name, second.Text));
            Assert.Equal(first.Id + 1, second.Id);
        }
    }

    [Fact]
    public async Task An_address_without_a_page_says_so()
    {
        using var answer = await site.Client.GetAsync(new Uri("/nowhere", UriKind.Relative)).Within("the answer");
        Assert.Equal(
            (HttpStatusCode.NotFound, "text/html"), (answer.StatusCode, answer.Content.Headers.ContentType?.MediaType));
        Assert.Contains(
            "There is nothing to see here: status 404.", await answer.Content.ReadAsStringAsync().Within("its text"),
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Another_room_hears_nothing()
    {
        await using var here = await ChatVisitor.EnterAsync(site, "here", "Zoë");
        await using var there = await ChatVisitor.EnterAsync(site, "there", "Ada");

        await here.SayAsync("only here");
        await here.NextSaidAsync();
        await there.SayAsync("only there");

        // What was said first would have come first.
        Assert.Equal("only there", (await there.NextSaidAsync()).Text);
    }

    [Fact]
    public async Task Who_moves_to_another_room_is_missed_in_the_first_and_heard_in_the_second()
    {
        await using var zoe = await ChatVisitor.EnterAsync(site, "first", "Zoë");
        await using var ada = await ChatVisitor.EnterAsync(site, "second", "Ada");
        await using var bob = await ChatVisitor.EnterAsync(site, "first", "Bob");

        var entrance = await zoe.EnterAsync("second", "Zoë");

        Assert.Equal("Zoë", await bob.NextLeftAsync());
        Assert.Equal("Zoë", await ada.NextCameAsync());
        Assert.Equal(["Ada", "Zoë"], entrance.People);
    }

    [Fact]
    public async Task Who_closes_the_page_has_left()
    {
        await using var zoe = await ChatVisitor.EnterAsync(site, "closing", "Zoë");
        var ada = await ChatVisitor.EnterAsync(site, "closing", "Ada");

        await ada.DisposeAsync();

        Assert.Equal("Ada", await zoe.NextLeftAsync());
    }

    [Fact]
    public async Task The_others_see_who_is_typing()
    {
        await using var zoe = await ChatVisitor.EnterAsync(site, "typing", "Zoë");
        await using var ada = await ChatVisitor.EnterAsync(site, "typing", "Ada");

        await ada.TypeAsync();

        Assert.Equal("Ada", await zoe.NextTypingAsync());
    }

    [Fact]
    public async Task Who_comes_later_finds_the_last_fifty_messages()
    {
        await using var zoe = await ChatVisitor.EnterAsync(site, "history", "Zoë");
        for (var number = 1; number <= Room.KeptMessages + 5; number++)
        {
            await zoe.SayAsync($"message {number}");
        }

        await using var ada = await ChatVisitor.ConnectAsync(site.OpenAsync);
        var entrance = await ada.EnterAsync("HISTORY", "Ada");

        Assert.Equal("history", entrance.Room);
        Assert.Equal(
            Enumerable.Range(6, Room.KeptMessages).Select(static number => $"message {number}"),
            entrance.Messages.Select(static message => message.Text));
    }

    [Fact]
    public async Task A_name_that_is_taken_gets_a_number()
    {
        await using var zoe = await ChatVisitor.EnterAsync(site, "names", "Zoë");
        await using var other = await ChatVisitor.ConnectAsync(site.OpenAsync);

        var entrance = await other.EnterAsync("names", "zoë");

        Assert.Equal("zoë (2)", entrance.Name);
        Assert.Equal("zoë (2)", await zoe.NextCameAsync());
    }

    [Theory]
    [InlineData("limits", "", "Your name is empty.")]
    [InlineData("limits", "012345678901234567890123456789012", "Your name has 33 characters; 32 are allowed.")]
    [InlineData("limits", "a\u0007b", "Your name has a character that cannot be shown.")]
    [InlineData("   ", "Zoë", "The room's name is empty.")]
    [InlineData("limits", "Ann\u200B", "Your name has a character that cannot be shown.")]
    [InlineData("limits", "\u200B\u2800", "Your name has a character that cannot be shown.")]
    [InlineData("limits", "\u2800", "Your name has a character that cannot be shown.")]
    [InlineData("limits", "\u3164", "Your name has a character that cannot be shown.")]
    [InlineData("limits", "\u202Ennа", "Your name has a character that cannot be shown.")]
    [InlineData("limits", "\uE000", "Your name has a character that cannot be shown.")]
    [InlineData("\u2066room", "Zoë", "The room's name has a character that cannot be shown.")]
    public async Task An_entrance_with_no_good_name_is_refused(string room, string name, string reason)
    {
        await using var visitor = await ChatVisitor.ConnectAsync(site.OpenAsync);

        var refusal = await Assert.ThrowsAsync<HubException>(() => visitor.EnterAsync(room, name));

        Assert.EndsWith(reason, refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Names_that_look_the_same_are_the_same()
    {
        await using var zoe = await ChatVisitor.EnterAsync(site, "same", "Ann Ångström");
        await using var other = await ChatVisitor.ConnectAsync(site.OpenAsync);

        // Wide letters, a no-break space, another angstrom, a combining mark.
        var entrance = await other.EnterAsync("\uFF53\uFF41me", "\uFF21nn\u00A0 \u212Bngstro\u0308m");

        Assert.Equal(("same", "Ann Ångström (2)"), (entrance.Room, entrance.Name));
        Assert.Equal("Zoe ❤", (await other.EnterAsync("same", "Zoe ❤\uFE0F")).Name);
    }

    [Theory]
    [InlineData("\u200B")]
    [InlineData("\u2800\u00AD \n\u3164")]
    public async Task A_message_without_anything_to_see_is_empty(string text)
    {
        await using var visitor = await ChatVisitor.EnterAsync(site, "blank", "Zoë");

        var refusal = await Assert.ThrowsAsync<HubException>(() => visitor.SayAsync(text));

        Assert.EndsWith("A message is empty.", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task One_connection_makes_a_few_rooms_and_no_more()
    {
        await using var visitor = await ChatVisitor.ConnectAsync(site.OpenAsync);
        for (var number = 1; number <= ChatHub.MaxRoomsMade; number++)
        {
            await visitor.EnterAsync($"made {number}", "Zoë");
        }

        var refusal = await Assert.ThrowsAsync<HubException>(() => visitor.EnterAsync("made too many", "Zoë"));

        Assert.EndsWith("You have made enough rooms: choose one of those.", refusal.Message, StringComparison.Ordinal);
        Assert.Equal("made 1", (await visitor.EnterAsync("MADE 1", "Zoë")).Room);
    }

    [Fact]
    public async Task Who_says_too_much_at_once_is_told_to_wait()
    {
        await using var visitor = await ChatVisitor.EnterAsync(site, "fast", "Zoë");

        // All at once: while each waits for its receipt, a slow machine gives the tokens back as fast as they are spent.
        var refusals = await Task.WhenAll(
            Enumerable.Range(0, 300).Select(_ => Record.ExceptionAsync(() => visitor.SayAsync("again")).AsTask()));

        var refusal = Assert.IsType<HubException>(refusals.FirstOrDefault(static refusal => refusal is not null));
        Assert.EndsWith("That was too fast: wait a moment.", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_longest_message_is_heard_and_a_longer_one_refused()
    {
        // Six bytes each in JSON, as SignalR's client escapes them.
        var longest = new string('世', 2000);
        await using var zoe = await ChatVisitor.EnterAsync(site, "long", "Zoë");
        await using var ada = await ChatVisitor.EnterAsync(site, "long", "Ada");

        var refusal = await Assert.ThrowsAsync<HubException>(() => zoe.SayAsync(longest + "!"));
        await zoe.SayAsync(longest);

        Assert.EndsWith(
            "A message has 2001 characters; 2000 are allowed.", refusal.Message, StringComparison.Ordinal);
        Assert.Equal(longest, (await ada.NextSaidAsync()).Text);
    }

    [Fact]
    public async Task A_message_beyond_the_limit_of_SignalR_ends_its_connection_and_no_other()
    {
        await using var zoe = await ChatVisitor.EnterAsync(site, "too long", "Zoë");
        await using var ada = await ChatVisitor.EnterAsync(site, "too long", "Ada");

        await Assert.ThrowsAnyAsync<Exception>(() => zoe.SayAsync(new string('x', 100_000)));

        Assert.NotNull(await zoe.ClosedAsync());
        Assert.Equal("Zoë", await ada.NextLeftAsync());
        await ada.SayAsync("still here");
        Assert.Equal("still here", (await ada.NextSaidAsync()).Text);
    }

    [Fact]
    public async Task Who_is_in_no_room_cannot_speak()
    {
        await using var visitor = await ChatVisitor.EnterAsync(site, "none", "Zoë");
        await visitor.LeaveAsync();

        var refusal = await Assert.ThrowsAsync<HubException>(() => visitor.SayAsync("Hello?"));

        Assert.EndsWith("You are in no room.", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_rooms_are_streamed_whenever_they_change()
    {
        using var enough = new CancellationTokenSource();
        await using var watcher = await ChatVisitor.ConnectAsync(site.OpenAsync);
        await using var rooms = watcher.WatchRooms(enough.Token).GetAsyncEnumerator(enough.Token);
        Assert.True(await rooms.MoveNextAsync().AsTask().Within("the rooms at first"));

        await using var zoe = await ChatVisitor.EnterAsync(site, "watched", "Zoë");
        await WaitForAsync(rooms, new RoomSummary("watched", 1));
        await zoe.LeaveAsync();
        await WaitForAsync(rooms, new RoomSummary("watched", 0));
    }

    [Fact]
    public async Task One_connection_watches_the_rooms_once_at_a_time()
    {
        using var enough = new CancellationTokenSource();
        await using var watcher = await ChatVisitor.ConnectAsync(site.OpenAsync);
        await using var rooms = watcher.WatchRooms(enough.Token).GetAsyncEnumerator(enough.Token);
        Assert.True(await rooms.MoveNextAsync().AsTask().Within("the rooms at first"));
        await using var again = watcher.WatchRooms(enough.Token).GetAsyncEnumerator(enough.Token);

        var refusal = await Assert.ThrowsAsync<HubException>(
            () => again.MoveNextAsync().AsTask().Within("the answer to a second watch"));

        Assert.EndsWith("You are watching the rooms.", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_page_and_its_files_are_sent_with_a_policy_that_allows_no_other_site()
    {
        foreach (var file in new[] { "", "chat.css", "chat.js", "icon.svg", "lib/signalr/signalr.min.js" })
        {
            using var response = await site.Client.GetAsync(new Uri(file, UriKind.Relative)).Within($"/{file}");
            Assert.Equal(HttpStatusCode.OK, response.StatusCode);
            Assert.StartsWith(
                "default-src 'self';",
                Assert.Single(response.Headers.GetValues("Content-Security-Policy")),
                StringComparison.Ordinal);
        }
    }

    /// <summary>Other tests change other rooms meanwhile.</summary>
    private static async Task WaitForAsync(IAsyncEnumerator<IReadOnlyList<RoomSummary>> rooms, RoomSummary wanted)
    {
        while (!rooms.Current.Contains(wanted))
        {
            Assert.True(await rooms.MoveNextAsync().AsTask().Within($"{wanted}"));
        }
    }
}
