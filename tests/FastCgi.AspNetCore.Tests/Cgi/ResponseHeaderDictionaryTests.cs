using System.Collections;

namespace FastCgi.AspNetCore.Tests.Cgi;

public class ResponseHeaderDictionaryTests
{
    [Fact]
    public void It_is_a_dictionary_without_regard_to_case()
    {
        IHeaderDictionary headers = new ResponseHeaderDictionary();
        headers["X-A"] = "1";
        headers["x-a"] = "2";
        headers.Add(KeyValuePair.Create("X-B", new StringValues(["1", "2"])));
        headers.Add(KeyValuePair.Create("X-C", new StringValues("3")));

        Assert.Equal(3, headers.Count);
        Assert.Equal(["x-a", "X-B", "X-C"], headers.Keys);
        Assert.Equal(("2", "1,2"), ((string?)headers["X-A"], (string?)headers["x-b"]));
        Assert.True(headers.ContainsKey("X-a"));
        Assert.False(headers.TryGetValue("X-D", out var missing));
        Assert.Equal(StringValues.Empty, missing);
        Assert.Equal(StringValues.Empty, headers["X-D"]);
        var containsIt = headers.Contains(KeyValuePair.Create("X-A", new StringValues("2")));
        Assert.True(containsIt);
        Assert.False(headers.Remove(KeyValuePair.Create("X-A", new StringValues("1"))));
        Assert.True(headers.Remove(KeyValuePair.Create("X-A", new StringValues("2"))));
        Assert.True(headers.Remove("X-C"));
        Assert.False(headers.Remove("X-C"));
        var copy = new KeyValuePair<string, StringValues>[2];
        headers.CopyTo(copy, 1);
        Assert.Equal("X-B", copy[1].Key);
        Assert.ThrowsAny<ArgumentException>(() => headers.CopyTo(copy, 2));
        Assert.ThrowsAny<ArgumentException>(() => headers.CopyTo(copy, -1));
        Assert.Equal("X-B", Assert.Single(headers.Cast<KeyValuePair<string, StringValues>>()).Key);
        Assert.Single((IEnumerable)headers);
        headers.Clear();
        Assert.Empty(headers);
    }

    [Fact]
    public void More_headers_than_usual_keep_their_order()
    {
        var headers = new ResponseHeaderDictionary();
        for (var i = 0; i < 100; i++)
        {
            headers[$"X-{i}"] = $"{i}";
        }

        headers.Remove("X-50");
        Assert.Equal(Enumerable.Range(0, 100).Where(i => i != 50).Select(i => $"X-{i}"), headers.Keys);
        Assert.Equal("99", headers["x-99"]);
    }

    [Fact]
    public void An_empty_value_removes_and_a_second_Add_throws()
    {
        var headers = new ResponseHeaderDictionary { ["X-A"] = "1", ["Content-Length"] = "5" };

        Assert.Throws<ArgumentException>(() => headers.Add("x-a", "2"));
        Assert.Throws<ArgumentException>(() => headers.Add("content-length", "5"));
        headers["X-A"] = StringValues.Empty;
        headers["X-B"] = default(string);
        headers["CONTENT-LENGTH"] = StringValues.Empty;
        Assert.Empty(headers);
    }

    [Fact]
    public void Content_Length_is_a_number()
    {
        var headers = new ResponseHeaderDictionary();
        headers["content-length"] = "42";
        Assert.Equal(42, headers.ContentLength);

        headers.ContentLength = long.MaxValue;
        Assert.Equal("9223372036854775807", headers["Content-Length"]);
        Assert.Equal("Content-Length", Assert.Single(headers).Key);
        Assert.Equal(["9223372036854775807"], headers.Values.Select(value => (string?)value));

        Assert.Throws<ArgumentOutOfRangeException>(() => headers.ContentLength = -1);
        Assert.Throws<InvalidOperationException>(() => headers["Content-Length"] = "-1");
        Assert.Throws<InvalidOperationException>(() => headers["Content-Length"] = "a\r\nb");
        Assert.Throws<InvalidOperationException>(() => headers["Content-Length"] = new StringValues(["1", "1"]));
        Assert.Equal(long.MaxValue, headers.ContentLength);
        Assert.True(headers.Remove("Content-Length"));
        Assert.False(headers.Remove("Content-Length"));
        Assert.Null(headers.ContentLength);
        Assert.False(headers.ContainsKey("Content-Length"));
    }

    public static TheoryData<string> NoTokens => ["", "A B", "A:", "A\r\nB", "(A)", "\u00E9"];

    [Theory, MemberData(nameof(NoTokens))]
    public void A_name_is_a_token(string name)
    {
        var exception = Assert.Throws<InvalidOperationException>(() => new ResponseHeaderDictionary { [name] = "v" });
        Assert.DoesNotContain('\n', exception.Message);
    }

    [Theory]
    [InlineData("a\r\nSet-Cookie: evil", "0x000D")]
    [InlineData("a\nb", "0x000A")]
    [InlineData("a\0b", "0x0000")]
    [InlineData("a\u007Fb", "0x007F")]
    [InlineData("a\u00E9b", "0x00E9")]
    [InlineData("a\uD83D\uDE00b", "0xD83D")]
    public void A_value_is_visible_ASCII_and_the_message_names_what_is_not(string value, string character)
    {
        var headers = new ResponseHeaderDictionary();

        var exception = Assert.Throws<InvalidOperationException>(
            () => headers["X-A"] = new StringValues(["ok", value]));
        Assert.Contains("X-A", exception.Message, StringComparison.Ordinal);
        Assert.Contains(character, exception.Message, StringComparison.Ordinal);
        Assert.Empty(headers);
        headers["X-A"] = "tab\tand ~";
        Assert.Single(headers);
    }

    [Fact]
    public void The_selector_allows_more_than_ASCII_for_its_headers_and_no_controls()
    {
        var headers = new ResponseHeaderDictionary(name => name == "X-A" ? Encoding.UTF8 : null) { ["X-A"] = "\u00E9" };

        Assert.Equal("\u00E9", headers["X-A"]);
        Assert.Throws<InvalidOperationException>(() => headers["X-A"] = "\u00E9\n");
        Assert.Throws<InvalidOperationException>(() => headers["X-B"] = "\u00E9");
    }

    [Fact]
    public void Nothing_changes_once_it_is_frozen()
    {
        var headers = new ResponseHeaderDictionary { ["X-A"] = "1", ["Content-Length"] = "5" };
        headers.Freeze();

        Assert.True(headers.IsReadOnly);
        Assert.Throws<InvalidOperationException>(() => headers["X-A"] = "2");
        Assert.Throws<InvalidOperationException>(() => headers["X-B"] = StringValues.Empty);
        Assert.Throws<InvalidOperationException>(() => headers.Add("X-B", "2"));
        Assert.Throws<InvalidOperationException>(() => headers.Remove("X-B"));
        Assert.Throws<InvalidOperationException>(headers.Clear);
        Assert.Throws<InvalidOperationException>(() => headers.ContentLength = 6);
        Assert.Throws<InvalidOperationException>(() => headers.ContentLength = null);
        Assert.Equal(("1", 5L), ((string?)headers["X-A"], headers.ContentLength));

        headers.Reset();
        Assert.Empty(headers);
        headers["X-A"] = "3";
        Assert.Equal("3", headers["X-A"]);
    }
}
