using FastCgi.SampleTests.Chat;
using FastCgi.SampleTests.Mvc;
using FastCgi.SampleTests.Shop;
using Microsoft.AspNetCore.SignalR;

namespace FastCgi.SampleTests;

/// <summary>The log of a sample has the lines that its operator looks for, and a client that sends too much is refused.</summary>
public sealed class SiteLogTests : IDisposable
{
    private readonly WorkDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task Mvc_logs_sign_ins_uploads_and_deletions_and_ends_guessing()
    {
        await using var site = await SampleProgram.StartBehindNginxAsync(
            "Mvc", arguments: ["--data", _directory.File("data")]);
        using var browser = site.CreateBrowser();

        Assert.Contains("wrong", (await SignInAsync("guess")).Text, StringComparison.Ordinal);
        await site.Log.WaitForAsync("A sign-in from 127.0.0.1 failed.");
        Assert.Equal(HttpStatusCode.Redirect, (await SignInAsync("fastcgi")).Status);
        await site.Log.WaitForAsync("demo signed in from 127.0.0.1.");
        await MvcPage.SubmitAsync(browser, "/notes", "/notes/1/delete");
        await site.Log.WaitForAsync("demo deleted note 1.");

        var fields = await MvcPage.HiddenFieldsAsync(browser, "/account/sign-in");
        MvcPage answer;
        do
        {
            using var form = new FormUrlEncodedContent([.. fields, new("UserName", "demo"), new("Password", "guess")]);
            using var response = await browser.PostAsync(new Uri("/account/sign-in", UriKind.Relative), form)
                .Within("an attempt");
            answer = await MvcPage.ReadAsync(response);
            Assert.Equal(answer.Status == HttpStatusCode.OK, response.Headers.RetryAfter is null);
        }
        while (answer.Status == HttpStatusCode.OK);

        Assert.Equal(HttpStatusCode.TooManyRequests, answer.Status);
        Assert.Contains("That was too fast.", answer.Text, StringComparison.Ordinal);
        await site.Log.WaitForAsync("127.0.0.1 sends too much: a request was refused.");
        Assert.Equal(HttpStatusCode.OK, (await MvcPage.GetAsync(browser, "/notes")).Status);

        Task<MvcPage> SignInAsync(string password) => MvcPage.SubmitAsync(
            browser, "/account/sign-in", "/account/sign-in", ("UserName", "demo"), ("Password", password));
    }

    [Fact]
    public async Task Shop_logs_orders_and_refuses_a_client_that_sends_too_much()
    {
        await using var site = await SampleProgram.StartBehindNginxAsync(
            "Shop", arguments: ["--data", _directory.File("data")]);
        using var visitor = new ShopVisitor(site.CreateBrowser());
        await visitor.AddAsync("enamel-mug", 2);
        await visitor.OrderAsync();
        await site.Log.WaitForAsync("was placed: 2 items for €");

        HttpResponseMessage answer;
        do
        {
            answer = await visitor.Browser.PostAsync(new Uri("/checkout", UriKind.Relative), null).Within("an answer");
        }
        while (answer.StatusCode == HttpStatusCode.BadRequest);

        Assert.Equal(HttpStatusCode.TooManyRequests, answer.StatusCode);
        Assert.Contains(
            "That was too fast.", await answer.Content.ReadAsStringAsync().Within("its page"), StringComparison.Ordinal);
        answer.Dispose();
        await site.Log.WaitForAsync("127.0.0.1 sends too much: a request was refused.");
    }

    [Fact]
    public async Task Chat_logs_the_rooms_that_are_made_and_refused()
    {
        await using var site = await ChatBehindNginx.StartAsync();
        await using var ada = await ChatVisitor.ConnectAsync(aborted => ChatBehindNginx.OpenAsync(site, aborted));
        for (var i = 1; i <= 5; i++)
        {
            await ada.EnterAsync($"Room {i}", "Ada");
        }

        await Assert.ThrowsAsync<HubException>(() => ada.EnterAsync("Room 6", "Ada"));
        await site.Log.WaitForAsync("Room Room 5 was made; there are 6.");
        await site.Log.WaitForAsync("is refused a room: it has made 5.");
    }
}
