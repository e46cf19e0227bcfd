using Xunit.Sdk;

namespace FastCgi.WebServerTests.Matrix;

/// <summary>A configuration that has changed under the tests is told from one that they run.</summary>
public sealed class SampleFileTests
{
    [Fact]
    public void What_is_not_there_cannot_be_replaced() =>
        Assert.ThrowsAny<XunitException>(() => SampleFile.Read("nginx.conf").Replace("listen 8080;", "listen 1;"));

    [Fact]
    public void What_is_there_more_often_than_said_cannot_be_replaced() =>
        Assert.ThrowsAny<XunitException>(() => SampleFile.Read("nginx.conf").Replace("fastcgi_param", "x"));

    [Fact]
    public void What_stands_in_a_comment_is_not_replaced() =>
        Assert.ThrowsAny<XunitException>(() => SampleFile.Read("nginx.conf").Replace("127.0.0.1:9000", "127.0.0.1:1"));

    [Fact]
    public void A_setting_is_switched_on_once()
    {
        var file = SampleFile.Read("nginx.conf").Enable("fastcgi_buffering off;");
        Assert.Contains("\n        fastcgi_buffering off;\n", file.ToString(), StringComparison.Ordinal);
        Assert.ThrowsAny<XunitException>(() => file.Enable("fastcgi_buffering off;"));
    }

    [Fact]
    public void A_block_is_switched_on_with_its_indentation_and_without_the_words_between()
    {
        var file = SampleFile.Read("h2o.yaml").Enable("listen:", "    key-file: /etc/ssl/private/www.example.com.key");
        Assert.Contains("listen:\n  port: 443\n  ssl:\n    certificate-file:", file.ToString(), StringComparison.Ordinal);
        Assert.Contains("# TLS.", file.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_setting_is_switched_off()
    {
        var file = SampleFile.Read("nginx.conf").Disable("fastcgi_keep_conn on;");
        Assert.Contains("\n        #fastcgi_keep_conn on;\n", file.ToString(), StringComparison.Ordinal);
    }
}
