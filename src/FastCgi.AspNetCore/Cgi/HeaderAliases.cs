namespace FastCgi.AspNetCore.Cgi;

/// <summary>
/// lighttpd sends <c>X-Real-IP</c>, <c>X_Real_IP</c> and <c>X.Real.IP</c> by one name, each as a param of its own. It
/// joins the lines of one header, so a param that comes twice is two headers, and one may be forged.
/// </summary>
internal static class HeaderAliases
{
    /// <summary>The place of a header param that lighttpd has sent twice; -1 without any.</summary>
    public static int Find(CgiParams @params)
    {
        var order = @params.Order;
        for (var i = 1; i < order.Length; i++)
        {
            if (@params.EntryAt(order[i]).IsHeader
                && ParamIndex.AreEqual(@params.NameAt(order[i - 1]), @params.NameAt(order[i])))
            {
                return order[i];
            }
        }

        return -1;
    }
}
