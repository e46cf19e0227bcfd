<%@ Page Language="C#" MasterPageFile="~/Shop.master" Title="Things that last" EnableViewState="false" EnableSessionState="false" %>
<script runat="server">
    protected void Page_Load(object sender, EventArgs e)
    {
        Items.DataSource = Catalogue.FirstPage();
        Page.DataBind();
    }
</script>
<asp:Content ContentPlaceHolderID="Content" runat="server">
<section class="hero">
  <div class="hero-text">
    <p class="eyebrow">The autumn collection</p>
    <h1>Good things, made&nbsp;to&nbsp;be kept.</h1>
    <p>Copper, wool, cedar and stoneware, from workshops we know by name. Fifty items; none of them in a hurry.</p>
    <p><a class="button" href="#items">See all fifty</a> <a class="quiet" href="/category/coffee-tea">Start with coffee</a></p>
  </div>
  <div class="hero-pictures">
    <img src="/items/pour-over-kettle.svg" alt="" width="200" height="200">
    <img src="/items/terracotta-pots.svg" alt="" width="200" height="200">
    <img src="/items/storm-lantern.svg" alt="" width="200" height="200">
    <img src="/items/stoneware-vase.svg" alt="" width="200" height="200">
  </div>
</section>
<ul class="promises">
  <li><strong>Free delivery</strong> from €75.00</li>
  <li><strong>Thirty days</strong> to send it back</li>
  <li><strong>Repairs</strong> for as long as you keep it</li>
</ul>
<section aria-labelledby="items">
  <h2 id="items">Everything in the shop <span class="many"><%# Items.Items.Count == 0 ? 50 : Items.Items.Count %> items</span></h2>
  <ul class="grid">
    <asp:Repeater id="Items" runat="server">
      <ItemTemplate>
    <li class="card">
      <a href="/item/<%# Server.HtmlEncode((string)Eval("Slug")) %>">
        <img src="/items/<%# Server.HtmlEncode((string)Eval("Slug")) %>.svg" alt="" width="200" height="200" loading="lazy">
        <span class="department"><%# Server.HtmlEncode((string)Eval("Department")) %></span>
        <strong><%# Server.HtmlEncode((string)Eval("Name")) %></strong>
        <span class="summary"><%# Server.HtmlEncode((string)Eval("Summary")) %></span>
        <span class="price"><%# Server.HtmlEncode((string)Eval("Price")) %></span>
        <asp:PlaceHolder runat="server" Visible='<%# (int)Eval("Stock") == 0 %>'><span class="badge out">Sold out</span></asp:PlaceHolder>
        <asp:PlaceHolder runat="server" Visible='<%# (int)Eval("Stock") > 0 && (int)Eval("Stock") < 10 %>'><span class="badge">Only <%# Eval("Stock") %> left</span></asp:PlaceHolder>
      </a>
    </li>
      </ItemTemplate>
    </asp:Repeater>
  </ul>
</section>
</asp:Content>
